/** True when a margin makes sense: 0 would demand equality, 1 would allow anything. */
export function isMargin(margin: number): boolean {
  return margin > 0 && margin < 1;
}
