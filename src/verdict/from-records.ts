import type { EpisodeRecord } from '../outcome/episode-record.ts';
import type { Arm, Plan } from '../plan/plan.ts';
import { type Comparison, type DecisionInput, decide } from './decide.ts';
import { earlyStop, type StopInput, sequentialGates, stoppedPlan } from './early-stop.ts';
import { type Integrity, SOUND } from './integrity.ts';
import { type PairKey, pairEpisodes, pairKey, validOutcome } from './pairing.ts';
import type { StopState } from './stop-walk.ts';
import { type CompletenessLimits, DEFAULT_LIMITS, type Tally, tallyOf } from './tally.ts';
import type { Decision, Reason } from './verdict.ts';

/** What the candidate of a plan is held against, before it is paired. */
export type Baseline =
  | { readonly kind: 'none'; readonly note: string | null }
  | { readonly kind: 'absent'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly reasons: readonly Reason[] }
  /** Another run's records; `differing` are the fingerprint fields in which the two runs differ. */
  | {
      readonly kind: 'records';
      readonly name: string;
      readonly records: readonly EpisodeRecord[];
      readonly differing: readonly string[];
    }
  | { readonly kind: 'published'; readonly name: string; readonly successes: number; readonly n: number };

export interface RecordOptions {
  /** Left out: the plan's own baseline arm when it has one, else none. */
  readonly baseline?: Baseline;
  /** How the policy's identity changed during the run, in words; null when it did not. */
  readonly policyChanged?: string | null;
  readonly limits?: CompletenessLimits;
  /** Warnings found outside the records; the records' own patterns are added by the caller that wants them. */
  readonly warnings?: readonly Reason[];
}

/** The verdict on the records of one plan (all shards together, in any order). */
export function decideFromRecords(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions = {},
): Decision {
  return decide(decisionInput(plan, records, options));
}

/**
 * The plain data a verdict on these records rests on. A run that stopped early answers for the cells up to the
 * decision, and its gates are the sequential ones.
 */
export function decisionInput(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions = {},
): DecisionInput {
  const baseline = options.baseline ?? ownBaseline(plan, records);
  const limits = options.limits ?? DEFAULT_LIMITS;
  const stop = plan.earlyStop === true ? stopOf({ plan, records, limits }, baseline) : null;
  const answered = stop === null ? plan : stoppedPlan(plan, stop.ended);
  return {
    candidate: tallyArm(answered, records, 'candidate'),
    comparison: comparisonOf(answered, records, baseline),
    rules: plan.thresholds,
    limits,
    integrity: integrityOf(plan, records, options.policyChanged ?? null),
    warnings: options.warnings ?? [],
    sequential: stop === null ? null : sequentialGates(stop.gates, plan.thresholds, nameOf(baseline)),
  };
}

/**
 * What a run that may stop early proved, and where it ended. A run without the baseline at hand can only have ended
 * by its floors; judged later against one, it ends there all the same, with the difference as far as it was proven.
 */
function stopOf(
  run: Omit<StopInput, 'baseline'>,
  baseline: Baseline,
): { gates: StopState; ended: StopState } {
  const own = run.plan.arms.includes('baseline');
  const other = baseline.kind === 'records' && !own ? baseline.records : null;
  const gates = earlyStop({ ...run, baseline: other });
  if (gates.decision !== null || other === null) return { gates, ended: gates };
  return { gates, ended: earlyStop({ ...run, baseline: null }) };
}

/** The plan's own second arm, or nothing. */
function ownBaseline(plan: Plan, records: readonly EpisodeRecord[]): Baseline {
  if (!plan.arms.includes('baseline')) return { kind: 'none', note: null };
  return {
    kind: 'records',
    name: "the run's own baseline arm",
    records: records.filter((record) => record.arm === 'baseline'),
    differing: [],
  };
}

function nameOf(baseline: Baseline): string {
  return baseline.kind === 'none' ? 'no baseline' : baseline.name;
}

/** One arm's counts over its planned cells. A cell recorded twice counts once; the verdict is INVALID anyway. */
export function tallyArm(plan: Plan, records: readonly EpisodeRecord[], arm: Arm): Tally {
  const outcomes = new Map<string, boolean | null>();
  for (const record of records) {
    if (record.arm === arm) outcomes.set(pairKey(record), validOutcome(record.outcome, plan.timeoutsAs));
  }
  const tasks = new Map<number, { taskId: number; planned: number; valid: number; successes: number }>();
  for (const cell of plan.cells) {
    if (cell.arm !== arm) continue;
    const task = tasks.get(cell.taskId) ?? { taskId: cell.taskId, planned: 0, valid: 0, successes: 0 };
    const outcome = outcomes.get(pairKey({ suite: plan.suite, ...cell })) ?? null;
    task.planned += 1;
    if (outcome !== null) task.valid += 1;
    if (outcome === true) task.successes += 1;
    tasks.set(cell.taskId, task);
  }
  return tallyOf([...tasks.values()]);
}

/** The candidate's planned cells without their arm, in planned order. */
export function plannedPairs(plan: Plan): PairKey[] {
  return plan.cells
    .filter((cell) => cell.arm === 'candidate')
    .map(({ taskId, initStateId, runIndex }) => ({ suite: plan.suite, taskId, initStateId, runIndex }));
}

function comparisonOf(plan: Plan, records: readonly EpisodeRecord[], baseline: Baseline): Comparison {
  if (baseline.kind !== 'records') return baseline;
  const pairing = pairEpisodes({
    planned: plannedPairs(plan),
    candidate: records.filter((record) => record.arm === 'candidate'),
    baseline: baseline.records,
    timeoutsAs: plan.timeoutsAs,
  });
  return { kind: 'paired', name: baseline.name, pairing, differing: baseline.differing };
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
  for (const [name, value] of Object.entries({ steps, policyLatencyMs, durationMs, policyCalls })) {
    if (value !== null && !(value >= 0)) return `${name} ${value}`;
  }
  return episodeReturn !== null && Number.isNaN(episodeReturn) ? 'episodeReturn NaN' : null;
}

function armKey(suite: string, cell: Omit<PairKey, 'suite'>, arm: Arm): string {
  const { taskId, initStateId, runIndex } = cell;
  return `${arm} ${pairKey({ suite, taskId, initStateId, runIndex })}`;
}
