import { betaCdf } from './beta.ts';
import { bisect } from './bisect.ts';
import { logBeta } from './gamma.ts';
import { requireCounts } from './requirements.ts';
import type { PairedCounts } from './tango-score.ts';
import type { Interval } from './wilson.ts';

/** Error rate per side of an early stop: an e-value of 1/0.05 = 20 decides. */
export const STOP_LEVEL = 0.05;
export const STOP_EVALUE = 1 / STOP_LEVEL;

/**
 * Evidence that the candidate is worse: e-value against "a discordant pair is a regression with probability ≤ ½",
 * uniform mixture over (½, 1): E = 2·2^(R+F)·B(R+1, F+1)·(1 − I_½(R+1, F+1)).
 *
 * Source: mixture likelihood ratio; anytime-valid by Ville's inequality (P(E ever ≥ 20) ≤ 5 %). Domain: R, F ≥ 0.
 * Edges: no discordant pair gives exactly 1.
 */
export function worseEValue(regressed: number, fixed: number): number {
  const upper = betaCdf(0.5, regressed + 1, fixed + 1, true);
  return Math.exp((regressed + fixed + 1) * Math.LN2 + logBeta(regressed + 1, fixed + 1) + Math.log(upper));
}

/**
 * Evidence that the candidate is not inferior: e-value against "Δ ≤ −margin", a mean of 40 bets
 * Π(1 + λ_k(D + m)), λ_k = k/(41(1−m)), over pairs with D = +1 (fix), −1 (regression), 0.
 *
 * Source: Waudby-Smith and Ramdas, JRSS B 86 (2024), betting with a fixed grid. Depends on the counts alone.
 * Domain: 0 < margin < 1. Edges: n = 0 gives 1. Made once for a margin, since whoever may stop asks after every pair.
 */
export function notInferiorEValue(margin: number): (pairs: PairedCounts) => number {
  const bets = betLogs(margin);
  return (pairs) => meanOfBets(bets, pairs);
}

function meanOfBets(bets: BetLogs, { n, fixed, regressed }: PairedCounts): number {
  const same = n - fixed - regressed;
  // Plain loops over fixed arrays: an early-stopping run asks after every pair.
  const logs = new Float64Array(BETS);
  let top = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < BETS; k += 1) {
    const log =
      fixed * (bets.fix[k] ?? 0) + regressed * (bets.regression[k] ?? 0) + same * (bets.tie[k] ?? 0);
    logs[k] = log;
    if (log > top) top = log;
  }
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - top);
  return Math.exp(top) * (sum / BETS);
}

const BETS = 40;
/** Log wealth factors of each bet after a fix, a regression, and a pair that agrees. */
interface BetLogs {
  readonly fix: Float64Array;
  readonly regression: Float64Array;
  readonly tie: Float64Array;
}

function betLogs(margin: number): BetLogs {
  const each = (d: number): Float64Array =>
    Float64Array.from({ length: BETS }, (_, i) =>
      Math.log1p(((i + 1) / ((BETS + 1) * (1 - margin))) * (d + margin)),
    );
  return { fix: each(1), regression: each(-1), tie: each(0) };
}

/**
 * E-value of k successes of n against a rate p₀ under a uniform mixture: B(1+k, 1+n−k)/(p₀^k(1−p₀)^(n−k)).
 * Source: Robbins 1970. Domain: 0 < p₀ < 1.
 */
export function rateEValue(k: number, n: number, p0: number): number {
  requireCounts(k, n);
  return Math.exp(logBeta(1 + k, 1 + n - k) - k * Math.log(p0) - (n - k) * Math.log1p(-p0));
}

/**
 * Confidence sequence of one rate: every p whose e-value is below 1/α. Valid however often it is looked at, hence
 * fit for a live line; wider than Wilson. Units: rates. n = 0 gives null; k = 0 has low 0, k = n has high 1.
 */
export function confidenceSequence(k: number, n: number, level = 0.95): Interval | null {
  requireCounts(k, n);
  if (n === 0) return null;
  const limit = -Math.log(1 - level);
  const rate = k / n;
  const excess = (p: number): number =>
    logBeta(1 + k, 1 + n - k) -
    (k === 0 ? 0 : k * Math.log(p)) -
    (k === n ? 0 : (n - k) * Math.log1p(-p)) -
    limit;
  return {
    low: k === 0 ? 0 : bisect(excess, 0, rate),
    high: k === n ? 1 : bisect(excess, rate, 1),
  };
}

/** What is certain about "at least `needed` of `planned` succeed" while the run goes on. */
type Curtailed = 'reached' | 'impossible' | 'open';

/**
 * Curtailment of a plain threshold: reached when `needed` successes are in, impossible when
 * planned − needed + 1 failures are. Exact: it says only what the full run would say.
 */
export function curtail(counts: {
  readonly successes: number;
  readonly failures: number;
  readonly needed: number;
  readonly planned: number;
}): Curtailed {
  if (counts.successes >= counts.needed) return 'reached';
  return counts.failures > counts.planned - counts.needed ? 'impossible' : 'open';
}
