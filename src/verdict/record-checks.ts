import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Arm, Plan } from '../model/plan.ts';
import { type Integrity, SOUND } from './integrity.ts';
import { type PairKey, pairKey, validOutcome } from './pairing.ts';
import { type Tally, type TaskTally, tallyOf } from './tally.ts';

/** One arm's counts over its planned cells. A cell recorded twice counts once; the verdict is INVALID anyway. */
export function tallyArm(plan: Plan, records: readonly EpisodeRecord[], arm: Arm): Tally {
  const outcomes = new Map<string, boolean | null>();
  let ran = 0;
  for (const record of records) {
    if (record.arm !== arm) continue;
    outcomes.set(pairKey(record), validOutcome(record.outcome, plan.timeoutsAs));
    if (record.outcome !== 'not_run') ran += 1;
  }
  const tasks = new Map<number, (boolean | null)[][]>();
  const states = new Map<string, (boolean | null)[]>();
  for (const cell of plan.cells) {
    if (cell.arm !== arm) continue;
    const key = `${cell.taskId} ${cell.initStateId}`;
    const runs = states.get(key) ?? [];
    if (runs.length === 0) {
      states.set(key, runs);
      const own = tasks.get(cell.taskId) ?? [];
      own.push(runs);
      tasks.set(cell.taskId, own);
    }
    runs.push(outcomes.get(pairKey({ suite: plan.suite, ...cell })) ?? null);
  }
  const repeated = [...states.values()].some(({ length }) => length > 1);
  const tally = tallyOf([...tasks].map(([taskId, own]) => taskTally(taskId, own, repeated)));
  return { ...tally, planned: tally.planned + beyondPlan(plan, tally.planned - ran) };
}

/** @param states the outcomes of each planned state's runs; null is no valid outcome. */
function taskTally(
  taskId: number,
  states: readonly (readonly (boolean | null)[])[],
  repeated: boolean,
): TaskTally {
  const valid = states.map((runs) => runs.filter((outcome) => outcome !== null));
  const ran = valid.filter(({ length }) => length > 0);
  const successes = (runs: readonly boolean[]): number => runs.filter(Boolean).length;
  const score = ran.reduce((sum, runs) => sum + successes(runs) / runs.length, 0);
  return {
    taskId,
    planned: states.reduce((sum, { length }) => sum + length, 0),
    valid: valid.reduce((sum, { length }) => sum + length, 0),
    successes: valid.reduce((sum, runs) => sum + successes(runs), 0),
    ...(repeated ? { states: { planned: states.length, valid: ran.length, score } } : {}),
  };
}

/**
 * Collected sessions whose episode nothing tells, beyond the planned cells that have no session: each of those may be
 * one of them, and every other is an episode more that was lost.
 * @param gaps planned cells without a session.
 */
function beyondPlan({ unattributed = 0 }: Pick<Plan, 'unattributed'>, gaps: number): number {
  // A run that stopped early has more records than cells that it answers for.
  return Math.max(0, unattributed - Math.max(0, gaps));
}

/** The candidate's planned cells without their arm, in planned order. */
export function plannedPairs(plan: Plan): PairKey[] {
  return plan.cells
    .filter((cell) => cell.arm === 'candidate')
    .map(({ taskId, initStateId, runIndex }) => ({ suite: plan.suite, taskId, initStateId, runIndex }));
}

/** Mismatches, conflicts, duplicates, unplanned cells and impossible values of a run's records, sorted. */
export function integrityOf(
  plan: Plan,
  records: readonly EpisodeRecord[],
  policyChanged: string | null,
): Integrity {
  const planned = new Set(plan.cells.map((cell) => armKey(plan.suite, cell, cell.arm)));
  const seen = new Set<string>();
  const found = {
    mismatches: new Set<string>(),
    conflicts: new Set<string>(),
    duplicates: new Set<string>(),
    unplanned: new Set<string>(),
    impossible: new Set<string>(),
  };
  for (const record of records) {
    const key = armKey(record.suite, record, record.arm);
    if (seen.has(key)) found.duplicates.add(key);
    seen.add(key);
    if (!planned.has(key)) found.unplanned.add(key);
    if (record.outcome === 'mismatch') found.mismatches.add(key);
    if (record.outcome === 'conflict') found.conflicts.add(key);
    const problem = impossibleValue(record);
    if (problem !== null) found.impossible.add(`${key} (${problem})`);
  }
  const sorted = (set: Set<string>): string[] => [...set].sort();
  return {
    ...SOUND,
    mismatches: sorted(found.mismatches),
    conflicts: sorted(found.conflicts),
    duplicates: sorted(found.duplicates),
    unplanned: sorted(found.unplanned),
    impossible: sorted(found.impossible),
    policyChanged,
  };
}

/** What no honest record holds, in words; null when the record is sound. */
export function impossibleValue(record: EpisodeRecord): string | null {
  // Callers may hand over what they parsed themselves, so the flag's type is looked at once more.
  const success: unknown = record.success;
  if (success !== null && typeof success !== 'boolean') return `success is ${typeof success}, not a boolean`;
  if (record.outcome === 'success' && success === false) return 'outcome success with success false';
  if (record.outcome === 'failure' && success === true) return 'outcome failure with success true';
  const { steps, policyLatencyMs, durationMs, policyCalls, episodeReturn } = record;
  if (!isAmount(steps)) return `steps ${steps}`;
  if (!isAmount(policyLatencyMs)) return `policyLatencyMs ${policyLatencyMs}`;
  if (!isAmount(durationMs)) return `durationMs ${durationMs}`;
  if (!isAmount(policyCalls)) return `policyCalls ${policyCalls}`;
  return episodeReturn !== null && Number.isNaN(episodeReturn) ? 'episodeReturn NaN' : null;
}

/** Unknown is sound; NaN is not. */
function isAmount(value: number | null): boolean {
  return value === null || value >= 0;
}

function armKey(suite: string, cell: Omit<PairKey, 'suite'>, arm: Arm): string {
  const { taskId, initStateId, runIndex } = cell;
  return `${arm} ${pairKey({ suite, taskId, initStateId, runIndex })}`;
}
