import { betaCdf } from './beta.ts';
import { bisect } from './bisect.ts';
import { logChoose } from './gamma.ts';
import { normalQuantile } from './normal.ts';

/** What a test may get wrong: α (per its sidedness) and the wanted power. */
interface Design {
  readonly alpha: number;
  readonly sides: 1 | 2;
  readonly power: number;
}

const USUAL_DESIGN: Design = { alpha: 0.05, sides: 2, power: 0.8 };

/**
 * Episodes per arm to see a drop from `rate` to `rate − drop` with independent arms (not rounded up).
 * Source: Fleiss: (z_α·sqrt(2p̄q̄) + z_β·sqrt(p₁q₁ + p₂q₂))²/δ². Domain: 0 < drop ≤ rate ≤ 1.
 */
export function unpairedEpisodes(rate: number, drop: number, design: Design = USUAL_DESIGN): number {
  const lower = rate - drop;
  const middle = (rate + lower) / 2;
  const spread = Math.sqrt(rate * (1 - rate) + lower * (1 - lower));
  return ((zAlpha(design) * Math.sqrt(2 * middle * (1 - middle)) + zBeta(design) * spread) / drop) ** 2;
}

/** Smallest drop that `n` independent episodes per arm can see, the inverse of the above; null when none can. */
export function unpairedDetectableDrop(
  n: number,
  rate: number,
  design: Design = USUAL_DESIGN,
): number | null {
  if (n <= 0 || rate <= 0 || unpairedEpisodes(rate, rate, design) > n) return null;
  return bisect((drop) => n - unpairedEpisodes(rate, drop, design), 1e-6, rate);
}

/**
 * Pairs to see a difference `drop` at discordance ψ (not rounded up).
 * Source: Connor 1987: (z_α·sqrt(ψ) + z_β·sqrt(ψ − δ²))²/δ². Domain: 0 < drop ≤ ψ ≤ 1.
 */
export function pairedEpisodes(discordance: number, drop: number, design: Design = USUAL_DESIGN): number {
  const spread = Math.sqrt(Math.max(0, discordance - drop * drop));
  return ((zAlpha(design) * Math.sqrt(discordance) + zBeta(design) * spread) / drop) ** 2;
}

/**
 * Pairs to certify a margin when both arms are equal: ψ(z_α + z_β)²/m² (not rounded up).
 * For independent arms at rate p pass ψ = 2p(1−p): the result is then episodes per arm.
 */
export function nonInferiorityEpisodes(
  discordance: number,
  margin: number,
  design: Design = { alpha: 0.05, sides: 1, power: 0.8 },
): number {
  return (discordance * (zAlpha(design) + zBeta(design)) ** 2) / (margin * margin);
}

/** Rates of regressions and fixes among pairs. */
interface PairedTruth {
  readonly regressed: number;
  readonly fixed: number;
}

/**
 * Exact power of the one-sided mid-p test to call the candidate worse: sums over the number of discordant pairs.
 * Domain: n ≥ 0, rates ≥ 0 with regressed + fixed ≤ 1. Units: probability.
 */
export function exactPower(n: number, truth: PairedTruth, alpha = 0.05): number {
  return powerWith(criticalValues(alpha), n, truth);
}

/**
 * Smallest drop the paired one-sided mid-p test sees with the wanted power, at a given rate of fixes; null when
 * none can be seen. This is the "could not have seen" line. Units: rate (0.022 = 2.2 points).
 */
export function detectableDrop(n: number, fixRate: number, alpha = 0.05, power = 0.8): number | null {
  const critical = criticalValues(alpha);
  const most = 1 - fixRate;
  const excess = (regressed: number): number => powerWith(critical, n, { regressed, fixed: fixRate }) - power;
  if (n === 0 || most <= fixRate || excess(most) < 0) return null;
  return risingRoot(excess, fixRate, most) - fixRate;
}

/**
 * Where a rising function crosses 0, by the Illinois form of false position: to 1e-6 of power, which is far finer
 * than anything printed. Each value costs hundreds of tail sums, so bisection would take several times as long.
 */
function risingRoot(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [below, above] = [f(low), f(high)];
  let side = 0;
  for (let i = 0; i < 100 && high - low > 1e-9; i += 1) {
    const x = low + ((high - low) * below) / (below - above);
    const value = f(x);
    if (Math.abs(value) < 1e-6) return x;
    if (value > 0) {
      [high, above] = [x, value];
      if (side === 1) below /= 2;
      side = 1;
    } else {
      [low, below] = [x, value];
      if (side === -1) above /= 2;
      side = -1;
    }
  }
  return high;
}

/** All terms below this together stay under 1e-8 for any n that fits a plan. */
const NEGLIGIBLE = 1e-13;

function powerWith(critical: (d: number) => number, n: number, truth: PairedTruth): number {
  const discordance = Math.min(1, truth.regressed + truth.fixed);
  if (n === 0 || discordance <= 0) return 0;
  const share = truth.regressed / (truth.regressed + truth.fixed);
  // Ten standard deviations below the mean nothing is left.
  const reach = 10 * Math.sqrt(n * discordance * (1 - discordance));
  const first = Math.max(1, Math.floor(n * discordance - reach));
  let needed = critical(first);
  let tail = atLeast(needed, first, share);
  let power = 0;
  for (let d = first; d <= n; d += 1) {
    if (d > first) {
      // P(Bin(d) ≥ k) from P(Bin(d−1) ≥ k), then up to the next critical value: a term each, no tail sum.
      tail += share * binomial(d - 1, needed - 1, share);
      for (const next = critical(d); needed < next; needed += 1) tail -= binomial(d, needed, share);
    }
    const weight = binomial(n, d, discordance);
    // Far tails change nothing that is printed, and skipping them keeps large plans quick.
    if (weight < NEGLIGIBLE && d > n * discordance) break;
    power += weight * tail;
  }
  return power;
}

/**
 * Smallest R of d discordant pairs with one-sided mid-p ≤ alpha, for d = 1, 2, … in turn, remembered.
 * The mid-p is I_½(R+1, d−R+1) (see mcnemar), and the critical R never falls as d grows.
 */
function criticalValues(alpha: number): (d: number) => number {
  const known: number[] = [1];
  return (d) => {
    for (let next = known.length; next <= d; next += 1) {
      let r = Math.max(known[next - 1] ?? 0, Math.ceil(next / 2));
      while (r <= next && betaCdf(0.5, r + 1, next - r + 1) > alpha) r += 1;
      known.push(r);
    }
    return known[d] ?? d + 1;
  };
}

/** P(Bin(n, p) = k). */
function binomial(n: number, k: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p >= 1) return k === n ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** P(Bin(n, p) ≥ k). */
function atLeast(k: number, n: number, p: number): number {
  if (k > n) return 0;
  return k <= 0 ? 1 : betaCdf(p, k, n - k + 1);
}

function zAlpha({ alpha, sides }: Design): number {
  return normalQuantile(1 - alpha / sides);
}

function zBeta({ power }: Design): number {
  return normalQuantile(power);
}
