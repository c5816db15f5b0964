/**
 * Which whole numbers of successes a published percentage can stand for.
 *
 * A percentage with d decimals and n rollouts needs some whole k with |100k/n − reported| ≤ ½·10⁻ᵈ; a tie counts
 * for both roundings. Exact arithmetic on the text as printed ("97.65" or "97.65%"): decimals are part of the claim.
 * Domain: n ≥ 1, 0 ≤ reported ≤ 100. An empty list means that the claim is impossible.
 * @returns all such k, ascending, at most 1,000 of them; null when the text is no percentage.
 */
export function possibleSuccesses(reported: string, n: number): number[] | null {
  const match = /^(\d{1,3})(?:\.(\d{1,9}))?\s*%?$/.exec(reported.trim());
  if (match === null || !Number.isSafeInteger(n) || n < 1) return null;
  const decimals = match[2] ?? '';
  const scale = 10n ** BigInt(decimals.length);
  const claim = BigInt(`${match[1]}${decimals}`);
  if (claim > 100n * scale) return null;
  // |100·k·scale − claim·n| · 2 ≤ n, all whole numbers.
  const target = claim * BigInt(n);
  const unit = 200n * scale;
  const low = ceilDivide(2n * target - BigInt(n), unit);
  const high = (2n * target + BigInt(n)) / unit;
  const found: number[] = [];
  for (let k = low < 0n ? 0n : low; k <= high && k <= BigInt(n) && found.length < 1000; k += 1n) {
    found.push(Number(k));
  }
  return found;
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return a <= 0n ? a / b : (a + b - 1n) / b;
}
