/** ln(0!), ln(1!), …, ln(n!). A test makes one for its n and hands it on: the sums below ask for millions. */
export function logFactorials(n: number): Float64Array {
  const table = new Float64Array(n + 1);
  let [sum, lost] = [0, 0];
  for (let i = 2; i <= n; i += 1) {
    const term = Math.log(i) - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
    table[i] = sum;
  }
  return table;
}

/** P(Bin(n, p) = k) for any whole k, from a table that reaches n. */
export function binomialTerm(table: Float64Array, n: number, k: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  const choose = (table[n] ?? 0) - (table[k] ?? 0) - (table[n - k] ?? 0);
  return Math.exp(choose + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** Whole numbers around the mean of Bin(n, p) outside which less than 1e-15 of it lies. */
export function binomialWindow(n: number, p: number): readonly [first: number, last: number] {
  // Bernstein's inequality: P(|X − np| ≥ x) ≤ 2·exp(−x²/(2npq + 2x/3)) with exponent 36.
  const reach = 12 + Math.sqrt(144 + 72 * n * p * (1 - p));
  return [Math.max(0, Math.floor(n * p - reach)), Math.min(n, Math.ceil(n * p + reach))];
}
