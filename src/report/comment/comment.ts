import { sha256Of } from '../../base/sha256.ts';
import { COMMENT_BUDGET_BYTES, COMMENT_BUDGET_UNITS, type CommentInput } from './comment-input.ts';
import { fullSteps } from './full.ts';
import { withinUnits } from './ladder.ts';
import { type CommentMarker, markerLine, parseMarker } from './marker.ts';
import { footer, headline } from './pieces.ts';
import { shortTop } from './short.ts';

/** `short` unfolds what is read in ten seconds and folds the rest away; `full` folds nothing but the episodes. */
export type CommentForm = 'short' | 'full';

/** The comment with its marker on the first line; never above the two budgets. */
export function commentMarkdown(
  input: CommentInput,
  form: CommentForm = 'short',
  budget: { units: number; bytes: number } = { units: COMMENT_BUDGET_UNITS, bytes: COMMENT_BUDGET_BYTES },
): string {
  const top = input.suites.length === 0 ? null : shortTop(input);
  // With a digest of what is said of the policy, by which the next comment knows whether it says the same.
  const said = top === null ? {} : { said: sha256Of(top.said).slice(0, 12) };
  const short = form === 'short' && top !== null;
  const head = `${markerLine({ ...input.marker, ...said })}\n${short ? top.text : headline(input)}\n\n`;
  const steps = fullSteps(input).map((step) => (short ? () => folded(step()) : step));
  return withinUnits({ head, foot: footer(input), steps, budget });
}

const folded = (text: string): string =>
  `<details><summary>All tasks, reasons, failed episodes and limits</summary>\n\n${text}\n</details>\n`;

/**
 * The same comment, saying below its first line that the one it replaces said the same of another commit.
 * @param earlier head commit of the comment that is replaced
 */
export function sayUnchanged(markdown: string, earlier: string): string {
  const [marker = '', top = '', ...rest] = markdown.split('\n');
  return [marker, top, '', `Nothing changed since \`${earlier.slice(0, 12)}\`.`, ...rest].join('\n');
}

/** The same comment, which has no result of its own, remembering the last one: the next result may say the same. */
export function rememberLast(markdown: string, last: NonNullable<CommentMarker['last']>): string {
  const [first = '', ...rest] = markdown.split('\n');
  const marker = parseMarker(first);
  return marker === null ? markdown : [markerLine({ ...marker, last }), ...rest].join('\n');
}
