import * as z from 'zod';

const schemaNamed = z.looseObject({ schema: z.string().regex(/^rollout-bench\//) });

const percent = z.number().min(0).max(100);
/** What LeRobot's evaluation writes: one rate over all episodes, in newer and older releases. */
const evalInfo = z.union([
  z
    .object({ overall: z.object({ pc_success: percent, n_episodes: z.int().positive() }) })
    .transform(({ overall }) => ({ rate: overall.pc_success, n: overall.n_episodes })),
  z
    .object({ aggregated: z.object({ pc_success: percent }), per_episode: z.array(z.unknown()).min(1) })
    .transform(({ aggregated, per_episode }) => ({ rate: aggregated.pc_success, n: per_episode.length })),
]);

/** Our own documents that hold no cells. */
const OWN: Readonly<Record<string, string>> = {
  report: 'report.json, the decision on a run',
  plan: 'plan.json, the plan of a run',
  plans: 'a plan file',
  run: 'run.json, the facts of a run',
  manifest: 'manifest.json, the list of a bundle’s files',
  results: 'results.json of another version',
  journal: 'journal.jsonl, what happened in a run',
  qualification: 'qualification.json, what was shown of the benchmark',
  history: 'a history file of the report branch',
  latest: 'latest.json of the report branch',
};

const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^position,benchmark,suite,/, 'it is episodes.csv; name the episodes.jsonl or the bundle it comes from'],
  [/^\s*<\?xml/, 'it is XML, such as junit.xml; name the bundle it comes from'],
  [/^\s*<!doctype html/i, 'it is a page; name the bundle it comes from'],
  [/^#/, 'it is a report in Markdown; name the bundle it comes from'],
];

/**
 * What a file is that was offered as baseline and is none, in words; null when nothing is recognised, and for what may be
 * an episodes.jsonl. Pure.
 */
export function foreignBaseline(name: string, text: string): string | null {
  if (/\.(?:zip|tar|tgz|tar\.gz)$/i.test(name)) return 'it is an archive; unpack it and name the folder';
  const known = BEGINNINGS.find(([beginning]) => beginning.test(text));
  if (known !== undefined) return known[1];
  const whole = parsed(text);
  const value = whole ?? parsed(text.slice(0, text.indexOf('\n')));
  const own = schemaNamed.safeParse(value);
  if (own.success) {
    const kind = own.data.schema.split('/')[1] ?? '';
    return `it is ${OWN[kind] ?? own.data.schema}; name the bundle's folder, its results.json or episodes.jsonl`;
  }
  const info = evalInfo.safeParse(whole);
  if (info.success) return evalInfoText(info.data);
  // An object over several lines is no JSON Lines.
  if (whole === undefined || (typeof whole === 'object' && whole !== null && 'taskId' in whole)) return null;
  const keys = typeof whole === 'object' && whole !== null ? Object.keys(whole).slice(0, 5) : [];
  return `it is JSON of another kind${keys.length === 0 ? '' : ` (${keys.join(', ').slice(0, 120)})`}`;
}

/** No initial state is named there, so only its count can be compared. */
function evalInfoText({ rate, n }: z.infer<typeof evalInfo>): string {
  const k = Math.round((rate * n) / 100);
  // The file holds a 32-bit number; anything further off is no rate of n episodes.
  const count = Math.abs((100 * k) / n - rate) < 1e-4 ? `${k}/${n}` : '486/500';
  return `it is an eval_info.json of LeRobot, which names no initial states; give its count of successes and episodes, \`${count}\``;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
