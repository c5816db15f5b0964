/** How deep the files of a user may nest; none of ours needs more than five levels. */
export const MAX_USER_YAML_DEPTH = 64;

const OPENING = /[[{]/;

/**
 * Line (from 1) at which a YAML text may nest deeper than {@link MAX_USER_YAML_DEPTH}; null when it cannot. Looked at
 * before the text is parsed: the parser recurses, and what is deep enough ends the whole process. It counts open brackets
 * wherever they stand, and the marks of lists and keys at the beginning of a line; blanks there may be four times as many. So
 * it may only be wrong about texts that are made to be.
 */
export function tooDeepLine(text: string): number | null {
  let open = 0;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const lead = /^[ \t?:-]*/.exec(line)?.[0] ?? '';
    const marks = lead.replace(/[ \t]/g, '').length;
    const blanks = lead.length - marks;
    if (marks > MAX_USER_YAML_DEPTH || blanks > 4 * MAX_USER_YAML_DEPTH) return index + 1;
    for (const character of line.match(/[[\]{}]/g) ?? []) {
      open = OPENING.test(character) ? open + 1 : Math.max(0, open - 1);
      if (open > MAX_USER_YAML_DEPTH) return index + 1;
    }
  }
  return null;
}
