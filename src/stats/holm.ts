/**
 * Holm's step-down adjusted p values, in the order given.
 *
 * Source: S. Holm, Scandinavian Journal of Statistics 6 (1979): adj₍ᵢ₎ = max over j ≤ i of min(1, (K−j+1)·p₍ⱼ₎).
 * Domain: each p in [0, 1]. Edges: an empty list gives an empty list.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 0;
  order.forEach(({ p, index }, rank) => {
    running = Math.max(running, Math.min(1, (pValues.length - rank) * p));
    adjusted[index] = running;
  });
  return adjusted;
}

/**
 * Benjamini–Hochberg adjusted p values, in the order given (for comparison; flags use Holm).
 * Source: Benjamini and Hochberg, JRSS B 57 (1995): adj₍ᵢ₎ = min over j ≥ i of min(1, K·p₍ⱼ₎/j).
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => b.p - a.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 1;
  order.forEach(({ p, index }, place) => {
    running = Math.min(running, (pValues.length * p) / (pValues.length - place));
    adjusted[index] = running;
  });
  return adjusted;
}
