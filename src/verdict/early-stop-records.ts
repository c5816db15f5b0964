import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import { pairKey } from './pairing.ts';

const NEVER_RAN: ReadonlySet<EpisodeRecord['outcome']> = new Set(['not_run', 'cancelled']);

/** A session that ran something else than planned discredits the run, wherever it stood. */
const SPEAKS_ANYWAY: ReadonlySet<EpisodeRecord['outcome']> = new Set(['mismatch', 'conflict']);

/** Positions that a run which stopped after `prefix` cells of the candidate answers for, both arms. */
export function answeredPositions(plan: Plan, prefix: number): ReadonlySet<number> {
  const kept = new Set(
    plan.cells
      .filter((cell) => cell.arm === 'candidate')
      .slice(0, prefix)
      .map((cell) => pairKey({ suite: plan.suite, ...cell })),
  );
  const positions = plan.cells.flatMap((cell, position) =>
    kept.has(pairKey({ suite: plan.suite, ...cell })) ? [position] : [],
  );
  return new Set(positions);
}

/**
 * The records of a run that stopped early: what was planned after the decision never ran, or finished too late and is
 * `after_stop`, outside every denominator. What such a session really gave stays in its attempts. Pure.
 */
export function withStop(plan: Plan, records: readonly EpisodeRecord[], prefix: number): EpisodeRecord[] {
  const answered = answeredPositions(plan, prefix);
  return records.map((record) => {
    if (answered.has(record.position) || SPEAKS_ANYWAY.has(record.outcome)) return record;
    const outcome = NEVER_RAN.has(record.outcome) ? ('not_run' as const) : ('after_stop' as const);
    return {
      ...record,
      outcome,
      success: null,
      successSource: null,
      errorCode: null,
      errorMessage: null,
      notes: ['planned after the early stop', ...record.notes],
    };
  });
}
