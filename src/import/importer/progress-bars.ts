/** Bars of tqdm, which share a line with a record when both go to one stream. Bounded, so that no line is slow. */
const BAR = /\d{1,3}%\|[^|]{0,200}\|[^[]{0,80}\[[^\]]{0,160}\]|\d{1,12}it \[[^\]]{0,160}\]/g;

/** A cleaned line without progress bars, and without blanks at its ends. Pure; linear in its length. */
export function withoutBars(line: string): string {
  return line.replace(BAR, '').trim();
}
