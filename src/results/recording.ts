import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { RecordingResult } from '../model/results.ts';
import { validOutcome } from '../verdict/pairing.ts';
import { measureOf } from './measure.ts';

/** Sums up the recordings of a run. Pure; the order of records cannot matter. */
export function recordingResult(plan: Plan, records: readonly EpisodeRecord[]): RecordingResult {
  const counting = records.filter(({ outcome }) => validOutcome(outcome, plan.timeoutsAs) !== null);
  const isProven = ({ policyProof }: EpisodeRecord): boolean => policyProof?.state === 'proven';
  const other = records.filter(({ policyProof }) => policyProof?.state === 'other_policy');
  const unproven = [...counting.filter((record) => !isProven(record)), ...other];
  const sum = (values: readonly (number | null | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return {
    verified: counting.length > 0 && unproven.length === 0,
    arms: plan.arms.map((arm) => {
      const own = counting.filter((record) => record.arm === arm);
      const proofs = own.map(({ policyProof }) => policyProof);
      return {
        arm,
        valid: own.length,
        proven: own.filter(isProven).length,
        calls: sum(proofs.map((proof) => proof?.calls)),
        answers: sum(proofs.map((proof) => proof?.answers)),
        latencyMs: measureOf(proofs.map((proof) => proof?.latencyMs ?? null)),
      };
    }),
    unproven: [...new Set(unproven.map(({ sessionId }) => sessionId ?? 'unknown'))].sort(),
  };
}
