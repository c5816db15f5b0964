/**
 * Root of a monotone function between low and high, where f(low) and f(high) have opposite signs (or one is 0).
 * Halves until the ends are neighbouring doubles, at most 200 times, so the answer does not depend on a tolerance.
 */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  const rising = f(low) < f(high);
  let [a, b] = [low, high];
  for (let i = 0; i < 200; i += 1) {
    const middle = (a + b) / 2;
    if (middle <= a || middle >= b) break;
    const above = f(middle) > 0;
    if (above === rising) b = middle;
    else a = middle;
  }
  return (a + b) / 2;
}
