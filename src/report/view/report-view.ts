import type { ArmResult, Results } from '../../model/results.ts';
import { SESSION_EVIDENCE } from '../../verdict/release.ts';
import { intervalText, numberText, plainRateText, rateText, stepsText } from '../text/format.ts';
import { type NamelessRow, namelessRows } from './collected-view.ts';
import { contentionOf } from './contention.ts';
import { type FailureView, failureView } from './failures-view.ts';
import { headlinesOf, stopTexts } from './headlines-view.ts';
import { heldOutLimits, heldOutLines } from './held-out-view.ts';
import { figureWarnings, suppliedTexts } from './imported-view.ts';
import { limitsOf } from './limits-view.ts';
import { type MetricRow, metricRows } from './metrics-view.ts';
import type { ReportInput, ViewRow } from './report-input.ts';
import { type RuleRow, ruleRows } from './rules-view.ts';
import { rulingOf } from './ruling.ts';
import { configurationRows, reproducibilityRows, setupRows } from './setup-view.ts';
import { timeRows } from './time-view.ts';

/** The chart of the tasks inside a bundle or a published folder. */
export const TASK_CHART = 'charts/tasks.svg';

interface AggregateRow {
  readonly arm: string;
  readonly rate: string;
  readonly interval: string;
  readonly overPlanned: string;
  readonly macro: string;
  readonly planned: number;
  readonly recorded: number;
  readonly valid: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly errors: number;
  readonly rejected: number;
  readonly cancelled: number;
  /** lost, mismatch, conflict and missing. */
  readonly other: number;
  readonly notRun: number;
  /** Without a valid outcome, of the episodes that the run answers for. */
  readonly lost: number;
}

export interface TaskRow {
  readonly taskId: number;
  readonly language: string;
  /** From 0 to 1; null without a valid episode. */
  readonly success: number | null;
  readonly rate: string;
  readonly interval: string;
  readonly steps: string;
  readonly episodeReturn: string;
  readonly lost: number;
}

export interface ArmView {
  readonly arm: string;
  readonly tasks: readonly TaskRow[];
  readonly metrics: readonly MetricRow[];
  readonly worstTask: TaskRow | null;
}

/** Everything any rendering shows, as plain text and numbers; nothing is escaped yet. */
export interface ReportView {
  readonly title: string;
  readonly isLibero: boolean;
  readonly benchmark: string;
  readonly suite: string;
  readonly verdict: string;
  readonly provisional: boolean;
  /** The main reason in a word or two: `worse`. */
  readonly ruling: string;
  readonly reasons: readonly string[];
  /** The same with what became of each rule; what is no rule is only `said`. */
  readonly rules: readonly RuleRow[];
  readonly warnings: readonly string[];
  /** Why all numbers are weaker than they look; for places without warnings. Null when they are not. */
  readonly caution: string | null;
  readonly setup: readonly ViewRow[];
  readonly configuration: readonly ViewRow[];
  /** What the comparison with a baseline gave; empty without one. */
  readonly comparison: readonly ViewRow[];
  /** Where the chart of the tasks is, as seen from the Markdown report. */
  readonly taskChart: string;
  /** What was measured, in short sentences for small places. */
  readonly headlines: readonly string[];
  readonly aggregate: readonly AggregateRow[];
  readonly arms: readonly ArmView[];
  readonly failures: FailureView;
  /** Collected sessions whose episode nothing tells. */
  readonly nameless: { readonly rows: readonly NamelessRow[]; readonly omitted: number };
  readonly time: readonly ViewRow[];
  /** Why durations and latencies are no measure of speed; null when nothing is known to have disturbed them. */
  readonly contended: string | null;
  readonly limits: readonly string[];
  readonly reproducibility: readonly ViewRow[];
  readonly runId: string;
  /** UTC; when the attempt began, else when it was sealed. */
  readonly measuredAt: string;
  readonly timeoutsAreFailures: boolean;
}

/** The one source of every rendering. Pure: equal input gives an equal view. */
export function reportView(input: ReportInput): ReportView {
  const { results, decision } = input;
  const { run } = results;
  const rules = rulesOf(input);
  return {
    title: titleOf(results),
    isLibero: results.benchmark === 'libero' || results.suite.startsWith('libero_'),
    benchmark: results.benchmark,
    suite: results.suite,
    verdict: decision.verdict,
    provisional: input.provisional,
    ruling: rulingOf(decision),
    reasons: rules.map(({ text }) => text),
    rules,
    warnings: [
      ...decision.warnings.map((warning) => warning.text),
      ...figureWarnings(results),
      ...results.warnings,
    ],
    caution: results.evidence === undefined ? null : SESSION_EVIDENCE,
    setup: setupRows(input),
    configuration: configurationRows(input),
    comparison: input.comparison?.rows ?? [],
    taskChart: taskChartPath(input),
    headlines: headlinesOf(results),
    aggregate: results.arms.map(aggregateRow),
    arms: results.arms.map(armView),
    failures: failureView(input),
    nameless: namelessRows(results),
    time: timeRows(results, input.records),
    contended: contentionOf(results),
    limits: [...limitsOf(results, input.heldOut ?? null), ...heldOutLimits(input.heldOut ?? null)],
    reproducibility: reproducibilityRows(input),
    runId: run.runId,
    measuredAt: measuredAt(run),
    timeoutsAreFailures: results.timeoutsAs === 'failure',
  };
}

function rulesOf({ results, decision, average, heldOut }: ReportInput): RuleRow[] {
  const said = (text: string): RuleRow => ({ state: 'said', text });
  return [
    ...suppliedTexts(results).map(said),
    ...ruleRows(decision),
    ...(average === null ? [] : ruleRows(average.decision)),
    ...stopTexts(results).map(said),
    ...heldOutLines(heldOut ?? null).map(said),
  ];
}

/** Benchmark, target, skill runtime and time: what tells one report from another. */
function titleOf({ benchmark, suite, skillruntime, run }: Results): string {
  const name = suite.startsWith(benchmark) ? suite : `${benchmark} ${suite}`;
  if (run.imported !== undefined) return `${name}, imported from ${run.imported.title}, ${measuredAt(run)}`;
  return `${name} on ${run.target.id} with ${skillruntime}, ${measuredAt(run)}`;
}

/** When the attempt began; collected sessions ended between two times. */
function measuredAt({ startedAt, sealedAt, collected }: Results['run']): string {
  if (collected?.from != null && collected.until != null)
    return collected.from === collected.until ? collected.from : `${collected.from} to ${collected.until}`;
  return startedAt ?? sealedAt ?? 'unknown';
}

/** The copy in the workspace lies outside of the bundle that holds the chart. */
function taskChartPath({ audience, bundleDir }: ReportInput): string {
  return audience === 'workspace' && bundleDir !== null ? `${bundleDir}/${TASK_CHART}` : TASK_CHART;
}

function aggregateRow(arm: ArmResult): AggregateRow {
  const { outcomes } = arm;
  return {
    arm: arm.arm,
    rate: rateText(arm.successRate, arm),
    interval: intervalText(arm.successRate),
    overPlanned: rateText(arm.rateOverPlanned, arm),
    macro: plainRateText(arm.macroRate.rate),
    planned: arm.planned,
    recorded: arm.recorded,
    valid: arm.valid,
    succeeded: outcomes.success,
    failed: outcomes.failure,
    timedOut: outcomes.timed_out,
    errors: outcomes.error,
    rejected: outcomes.rejected,
    cancelled: outcomes.cancelled,
    other: outcomes.lost + outcomes.mismatch + outcomes.conflict + outcomes.missing,
    notRun: outcomes.not_run + outcomes.after_stop,
    lost: arm.planned - arm.valid - arm.unneeded,
  };
}

function armView(arm: ArmResult): ArmView {
  const tasks = arm.tasks.map(taskRow);
  return { arm: arm.arm, tasks, metrics: metricRows(arm), worstTask: tasks[worstIndex(arm)] ?? null };
}

function taskRow(task: ArmResult['tasks'][number]): TaskRow {
  return {
    taskId: task.taskId,
    language: task.language,
    success: task.successRate.rate,
    rate: rateText(task.successRate, task),
    interval: intervalText(task.successRate),
    steps: stepsText(task.stepsSuccessful),
    episodeReturn: numberText(task.episodeReturn.mean, 2),
    lost: task.planned - task.valid - task.unneeded,
  };
}

/** Index of the task with the lowest rate (first of equals), −1 when no task has valid episodes. */
function worstIndex(arm: ArmResult): number {
  let worst = -1;
  let lowest = Number.POSITIVE_INFINITY;
  arm.tasks.forEach((task, index) => {
    const rate = task.successRate.rate;
    if (rate === null || rate >= lowest) return;
    worst = index;
    lowest = rate;
  });
  return worst;
}
