import { twoSidedZ } from './normal.ts';
import { mean, preciseSum } from './summaries.ts';
import type { PairedCounts } from './tango-score.ts';
import type { Interval } from './wilson.ts';

/** Paired difference averaged over tasks, so that every task weighs the same. Units: rates. */
interface MacroDifference {
  readonly delta: number;
  readonly standardError: number;
  readonly interval: Interval;
  /** Σ(F − R)/Σn, equal to delta when every task has equally many pairs. */
  readonly pooled: number;
  readonly balanced: boolean;
}

/**
 * Stratified paired difference with fixed tasks: d_t = (F_t − R_t)/n_t, s_t² = (F_t + R_t)/n_t − d_t²,
 * SE = sqrt(Σ s_t²/n_t)/T, normal interval. Source: standard stratified estimator. Tasks without pairs are left
 * out; none left gives null. Its interval has width 0 without discordant pairs: gate on Tango when balanced.
 */
export function macroDifference(tasks: readonly PairedCounts[], level = 0.95): MacroDifference | null {
  const known = tasks.filter((task) => task.n > 0);
  const first = known[0];
  if (first === undefined) return null;
  const differences = known.map(({ n, fixed, regressed }) => (fixed - regressed) / n);
  const variances = known.map(({ n, fixed, regressed }) => {
    const d = (fixed - regressed) / n;
    return ((fixed + regressed) / n - d * d) / n;
  });
  const delta = mean(differences);
  const standardError = Math.sqrt(preciseSum(variances)) / known.length;
  const half = twoSidedZ(level) * standardError;
  const pairs = known.reduce((sum, task) => sum + task.n, 0);
  return {
    delta,
    standardError,
    interval: { low: delta - half, high: delta + half },
    pooled: known.reduce((sum, task) => sum + task.fixed - task.regressed, 0) / pairs,
    balanced: known.every((task) => task.n === first.n),
  };
}
