import { requireCounts } from './requirements.ts';

/** One run of a schedule. */
export interface RunCounts {
  readonly k: number;
  readonly n: number;
}

interface CusumRule {
  /** Rate in control, 0 < worse < expected < 1. */
  readonly expected: number;
  /** Rate the chart is tuned to notice. */
  readonly worse: number;
  /** Alarm at this height; 4 by default. */
  readonly alarmAt?: number;
}

/** The chart's height after each run, and the first run (0-based) that reached the alarm. */
interface Cusum {
  readonly heights: readonly number[];
  readonly alarm: number | null;
}

/**
 * One-sided binomial CUSUM: C = max(0, C + k·ln(p₁/p₀) + (n−k)·ln((1−p₁)/(1−p₀))).
 * Source: Page 1954 with binomial log-likelihood ratios. Runs in time order; runs without episodes add nothing.
 */
export function cusum(runs: readonly RunCounts[], rule: CusumRule): Cusum {
  const { expected, worse, alarmAt = 4 } = rule;
  if (!(worse > 0 && worse < expected && expected < 1)) {
    throw new RangeError(`need 0 < worse < expected < 1, got worse=${worse}, expected=${expected}`);
  }
  const success = Math.log(worse / expected);
  const failure = Math.log((1 - worse) / (1 - expected));
  const heights: number[] = [];
  let height = 0;
  let alarm: number | null = null;
  runs.forEach(({ k, n }, index) => {
    requireCounts(k, n);
    height = Math.max(0, height + k * success + (n - k) * failure);
    heights.push(height);
    if (alarm === null && height >= alarmAt) alarm = index;
  });
  return { heights, alarm };
}
