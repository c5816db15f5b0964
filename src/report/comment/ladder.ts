interface LadderInput {
  /** Always kept: the marker and the verdict. */
  readonly head: string;
  /** Kept when there is room for it beside the shortest step. */
  readonly foot: string;
  /** From the longest to the shortest. */
  readonly steps: readonly (() => string)[];
  readonly budget: { readonly units: number; readonly bytes: number };
}

const CUT_NOTE = '\n\nCut for space; the full report is in the artifact.\n';

/**
 * The first step that fits between head and foot within both budgets (UTF-16 units and UTF-8 bytes). When even the
 * shortest does not, it is cut at the end of a line, and a sentence says so.
 */
export function withinUnits({ head, foot, steps, budget }: LadderInput): string {
  const fits = (text: string) => text.length <= budget.units && Buffer.byteLength(text) <= budget.bytes;
  let shortest = '';
  for (const step of steps) {
    shortest = step();
    const text = `${head}${shortest}${foot}`;
    if (fits(text)) return text;
  }
  const tail = `${CUT_NOTE}${foot}`;
  const lines = shortest.split('\n');
  while (lines.length > 0 && !fits(`${head}${lines.join('\n')}${tail}`))
    lines.length = Math.floor(lines.length * 0.9);
  const cut = `${head}${lines.join('\n')}${tail}`;
  return fits(cut) ? cut : clippedUnits(head, budget);
}

/** Text cut to whole characters inside both budgets. */
export function clippedUnits(
  text: string,
  budget: { readonly units: number; readonly bytes: number },
): string {
  let cut = text.slice(0, budget.units);
  while (Buffer.byteLength(cut) > budget.bytes) cut = cut.slice(0, Math.floor(cut.length * 0.95));
  return cut.replace(/[\ud800-\udbff]$/, '');
}
