import { type EpisodeRecord, type Outcome, outcomeSchema } from '../model/episode-record.ts';
import type { JournalRecord } from '../model/journal-events.ts';
import type { Arm, Plan } from '../model/plan.ts';
import {
  type ArmResult,
  type Measure,
  RESULTS_LEVEL,
  RESULTS_SCHEMA_ID,
  type Results,
  type TaskResult,
  type Unattributed,
} from '../model/results.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { answeredPositions } from '../verdict/early-stop-records.ts';
import { validOutcome } from '../verdict/pairing.ts';
import { assistedOf } from './assisted.ts';
import { capFacts } from './cap-facts.ts';
import { stopFacts, stopIn } from './early-stop-facts.ts';
import { errorCodesOf } from './error-codes.ts';
import { macroOf, measureOf, rateOf } from './measure.ts';
import { recordingResult } from './recording.ts';
import { withUnattributed } from './unattributed.ts';

interface AggregateInput {
  readonly plan: Plan;
  /** One per planned cell of this run; any order. */
  readonly records: readonly EpisodeRecord[];
  readonly run: RunFacts;
  readonly journal: readonly JournalRecord[];
  /** Collected sessions whose episode nothing tells; left out: none. */
  readonly unattributed?: readonly Unattributed[];
}

/**
 * Everything the report shows, from the records alone. Pure and independent of the order of `records`: equal input
 * gives equal bytes (see `resultsText`).
 */
export function aggregate({ plan, records, run, journal, unattributed = [] }: AggregateInput): Results {
  const ordered = [...records].sort((left, right) => left.position - right.position);
  const stop = stopIn(journal);
  const whole = { plan, answered: stop === null ? null : answeredPositions(plan, stop.prefix) };
  const caps = capFacts(plan, journal);
  return {
    schema: RESULTS_SCHEMA_ID,
    level: RESULTS_LEVEL,
    benchmark: plan.benchmark,
    suite: plan.suite,
    skillruntime: plan.skillruntime,
    purpose: plan.purpose,
    timeoutsAs: plan.timeoutsAs,
    repeats: plan.repeats,
    initStates: [...plan.initStates],
    limits: plan.limits,
    targetConfig: plan.targetConfig,
    thresholds: plan.thresholds,
    ...(plan.evidence === undefined ? {} : { evidence: plan.evidence }),
    order: plan.order,
    arms: plan.arms.map((arm) => withUnattributed(armResult(whole, arm, ordered), unattributed)),
    time: timeOf(journal),
    end: endOf(journal),
    earlyStop: stopFacts(plan, ordered, journal),
    ...(caps === undefined ? {} : { caps }),
    ...(run.recording === undefined ? {} : { recording: recordingResult(plan, ordered) }),
    ...(unattributed.length === 0 ? {} : { unattributed: [...unattributed] }),
    run,
    warnings: warningsOf(run, journal),
  };
}

/** The plan, and the positions that a stopped run answers for; null is all. */
interface Whole {
  readonly plan: Plan;
  readonly answered: ReadonlySet<number> | null;
}

function armResult(whole: Whole, arm: Arm, records: readonly EpisodeRecord[]): ArmResult {
  const { plan } = whole;
  const own = records.filter((record) => record.arm === arm);
  const byTask = groupByTask(own);
  const tasks = [...plan.tasks]
    .sort((left, right) => left.taskId - right.taskId)
    .map(({ taskId, language }) => taskResult(whole, { taskId, language }, byTask.get(taskId) ?? []));
  const completed = own.filter(isCompleted);
  const ran = own.filter((record) => record.attempts.length > 0 && record.outcome !== 'not_run');
  return {
    arm,
    ...countsOf(whole, own),
    macroRate: macroOf(tasks.map((task) => ({ k: task.successRate.k, n: task.successRate.n }))),
    tasks,
    ...stepsOf(own),
    episodeReturn: measureOf(completed.map((record) => record.episodeReturn)),
    policyLatencyMs: measureOf(completed.map((record) => record.policyLatencyMs)),
    policyCalls: measureOf(completed.map((record) => record.policyCalls)),
    durationMs: measureOf(ran.map((record) => record.durationMs)),
    retriedCells: own.filter(isRetried).length,
    ...assistedOf(own),
    errorCodes: errorCodesOf(own),
  };
}

/** A verifier's replans are no tries of the cell. */
function isRetried({ attempts, assisted }: EpisodeRecord): boolean {
  return attempts.length - (assisted?.replans ?? 0) > 1;
}

function groupByTask(records: readonly EpisodeRecord[]): ReadonlyMap<number, EpisodeRecord[]> {
  const groups = new Map<number, EpisodeRecord[]>();
  for (const record of records) {
    const group = groups.get(record.taskId);
    if (group === undefined) groups.set(record.taskId, [record]);
    else group.push(record);
  }
  return groups;
}

function taskResult(
  whole: Whole,
  task: { readonly taskId: number; readonly language: string },
  records: readonly EpisodeRecord[],
): TaskResult {
  return {
    ...task,
    ...countsOf(whole, records),
    ...stepsOf(records),
    episodeReturn: measureOf(records.filter(isCompleted).map((record) => record.episodeReturn)),
  };
}

/** Episodes that the simulator finished; a timeout is none, even where it counts as a failure. */
function isCompleted(record: EpisodeRecord): boolean {
  return record.outcome === 'success' || record.outcome === 'failure';
}

function stepsOf(records: readonly EpisodeRecord[]): { stepsCompleted: Measure; stepsSuccessful: Measure } {
  const steps = (chosen: readonly EpisodeRecord[]): Measure =>
    measureOf(chosen.map((record) => record.steps));
  return {
    stepsCompleted: steps(records.filter(isCompleted)),
    stepsSuccessful: steps(records.filter((record) => record.outcome === 'success')),
  };
}

type Counts = Pick<
  ArmResult,
  'planned' | 'recorded' | 'valid' | 'unneeded' | 'outcomes' | 'successRate' | 'rateOverPlanned'
>;

function countsOf({ plan, answered }: Whole, records: readonly EpisodeRecord[]): Counts {
  const outcomes = emptyCounts();
  let valid = 0;
  let successes = 0;
  for (const record of records) {
    outcomes[record.outcome] += 1;
    const verdict = validOutcome(record.outcome, plan.timeoutsAs);
    if (verdict !== null) valid += 1;
    if (verdict === true) successes += 1;
  }
  const planned = records.length;
  const unneeded = answered === null ? 0 : records.filter(({ position }) => !answered.has(position)).length;
  return {
    planned,
    unneeded,
    recorded: planned - outcomes.not_run - outcomes.after_stop,
    valid,
    outcomes,
    successRate: rateOf(successes, valid),
    rateOverPlanned: rateOf(successes, planned - unneeded),
  };
}

function emptyCounts(): Record<Outcome, number> {
  const zero = outcomeSchema.options.map((outcome) => [outcome, 0] as const);
  // Safe: every outcome of the enum is a key of the object just made.
  return Object.fromEntries(zero) as Record<Outcome, number>;
}

function lastEvent<T extends JournalRecord['event']['type']>(
  journal: readonly JournalRecord[],
  type: T,
): Extract<JournalRecord['event'], { type: T }> | null {
  const found = journal.findLast((record) => record.event.type === type)?.event;
  // Safe: the event was just found by its type.
  return (found ?? null) as Extract<JournalRecord['event'], { type: T }> | null;
}

function timeOf(journal: readonly JournalRecord[]): Results['time'] {
  const ended = lastEvent(journal, 'ended');
  return {
    wallMs: ended?.totalMs ?? null,
    laneWaitMs: lastEvent(journal, 'lane')?.waitedMs ?? null,
    foreignMs: ended?.foreignMs ?? null,
    pausedMs: ended?.pausedMs ?? null,
    ...(ended?.yields === undefined ? {} : { yields: ended.yields, yieldedMs: ended.yieldedMs ?? 0 }),
  };
}

function endOf(journal: readonly JournalRecord[]): Results['end'] {
  const ended = lastEvent(journal, 'ended');
  if (ended !== null) return { kind: ended.end, reason: ended.reason };
  const interrupted = lastEvent(journal, 'interrupted');
  return interrupted === null ? null : { kind: 'interrupted', reason: interrupted.reason };
}

function warningsOf(run: RunFacts, journal: readonly JournalRecord[]): string[] {
  const journaled = journal.flatMap(({ event }) => (event.type === 'warning' ? [event.message] : []));
  return [...new Set([...run.warnings, ...journaled, ...outageTexts(journal)])];
}

/** What a report says of attempts that met a target or policy that was down; empty when there were none. Pure. */
function outageTexts(journal: readonly JournalRecord[]): readonly string[] {
  const cells = new Map<string, number>();
  const counts = new Map<string, boolean>();
  for (const { event } of journal) {
    if (event.type === 'intent' || event.type === 'adopted') cells.set(event.sessionId, event.position);
    if (event.type === 'weighed') counts.set(event.sessionId, event.counts);
  }
  const back = [...counts].filter(([, counted]) => !counted).map(([sessionId]) => sessionId);
  if (back.length === 0) return [];
  const of = new Set(back.map((sessionId) => cells.get(sessionId))).size;
  return [
    `${back.length} ${back.length === 1 ? 'attempt' : 'attempts'} of ${of} ${of === 1 ? 'episode' : 'episodes'} met a target or policy that was down; they do not count as tries of their episodes.`,
  ];
}
