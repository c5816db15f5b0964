import type { ArmResult, Results } from '../../model/results.ts';
import { durationText, numberText } from '../text/format.ts';
import { plainRow, type ViewRow } from './report-input.ts';

/**
 * What one success cost, failures and errors included, so that quick failures do not look efficient. Unknown without a
 * success, and where a part of the sum is unknown: tries before the last, or an earlier attempt of the run.
 */
export function efficiencyRows({ arms, time, run }: Results): ViewRow[] {
  const [only, ...others] = arms;
  const wallMs = run.attempt > 1 || run.shard !== null ? null : time.wallMs;
  const wall =
    only === undefined || others.length > 0
      ? []
      : [plainRow('Wall time for each success', durationText(perSuccess(wallMs, only)))];
  return [
    ...wall,
    ...arms.flatMap((arm) => [
      plainRow(
        `${arm.arm}: time of episodes for each success`,
        durationText(perSuccess(durationOf(arm), arm)),
      ),
      plainRow(`${arm.arm}: policy calls for each success`, numberText(perSuccess(callsOf(arm), arm), 1)),
    ]),
  ];
}

function perSuccess(sum: number | null, { outcomes }: ArmResult): number | null {
  return sum === null || outcomes.success === 0 ? null : sum / outcomes.success;
}

function durationOf({ durationMs, retriedCells }: ArmResult): number | null {
  return durationMs.missing > 0 || retriedCells > 0 ? null : sumOf(durationMs);
}

/** Measured over the episodes that the simulator finished; what others called is not known. */
function callsOf({ policyCalls, recorded, outcomes, retriedCells }: ArmResult): number | null {
  const unfinished = recorded - outcomes.success - outcomes.failure;
  return policyCalls.missing > 0 || unfinished > 0 || retriedCells > 0 ? null : sumOf(policyCalls);
}

function sumOf({ mean, n }: { readonly mean: number | null; readonly n: number }): number | null {
  return mean === null ? null : mean * n;
}
