import type { ArmResult } from '../../model/results.ts';
import { medianText, numberText, stepsText } from '../text/format.ts';

export interface MetricRow {
  readonly metric: string;
  readonly mean: string;
  readonly median: string;
  readonly p95: string;
  readonly n: number;
  readonly missing: number;
}

/** Steps, return, latency, calls and time of one arm, with how many episodes told them. Pure. */
export function metricRows(arm: ArmResult): MetricRow[] {
  const row = (metric: string, measure: ArmResult['stepsCompleted'], decimals: number): MetricRow => ({
    metric,
    mean: numberText(measure.mean, decimals),
    median: medianText(measure, decimals),
    p95: numberText(measure.p95, decimals),
    n: measure.n,
    missing: measure.missing,
  });
  const wholeRow = (metric: string, measure: ArmResult['stepsCompleted']): MetricRow => ({
    ...row(metric, measure, 1),
    median: stepsText(measure),
  });
  return [
    wholeRow('Steps, completed episodes', arm.stepsCompleted),
    wholeRow('Steps, successful episodes', arm.stepsSuccessful),
    row('Return (sum of rewards)', arm.episodeReturn, 3),
    row('Policy latency per call, ms', arm.policyLatencyMs, 1),
    wholeRow('Policy calls', arm.policyCalls),
    row(
      'Time per episode, s',
      {
        ...arm.durationMs,
        mean: seconds(arm.durationMs.mean),
        median: seconds(arm.durationMs.median),
        medianLow: seconds(arm.durationMs.medianLow),
        medianHigh: seconds(arm.durationMs.medianHigh),
        p95: seconds(arm.durationMs.p95),
      },
      2,
    ),
  ];
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
