import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { givenPercent, percentOf } from '../stats/rounding.ts';
import { unpairedMarginP, unpairedWorseP } from '../stats/unpaired-tests.ts';
import type { AnchorPairs } from './anchor.ts';
import type { Comparison } from './comparison.ts';
import { few } from './few.ts';
import { TEST_LEVEL } from './levels.ts';
import { differenceOfPairs } from './paired-difference.ts';
import { countPairs, validOutcome } from './pairing.ts';
import { type Tally, unitsOf } from './tally.ts';
import type { Rules } from './thresholds.ts';

/** A task that the baseline measured and the plan leaves out; k successes of n valid episodes. */
export interface DroppedTask {
  readonly taskId: number;
  readonly k: number;
  readonly n: number;
}

/** What of a decision says whether a PASS has shown anything. */
interface Shown {
  readonly candidate: Tally;
  readonly comparison: Comparison;
  readonly rules: Rules;
  readonly dropped?: readonly DroppedTask[];
  readonly anchor: AnchorPairs | null;
}

/** Tasks with valid baseline episodes that are not planned, lowest rate first. Pure. */
export function droppedTasks(
  { tasks, timeoutsAs }: Pick<Plan, 'tasks' | 'timeoutsAs'>,
  baseline: readonly Pick<EpisodeRecord, 'taskId' | 'outcome'>[],
): DroppedTask[] {
  const planned = new Set(tasks.map(({ taskId }) => taskId));
  const dropped = new Map<number, { taskId: number; k: number; n: number }>();
  for (const { taskId, outcome } of baseline) {
    const success = planned.has(taskId) ? null : validOutcome(outcome, timeoutsAs);
    if (success === null) continue;
    const task = dropped.get(taskId) ?? { taskId, k: 0, n: 0 };
    task.n += 1;
    if (success) task.k += 1;
    dropped.set(taskId, task);
  }
  return [...dropped.values()].sort((a, b) => a.k / a.n - b.k / b.n || a.taskId - b.taskId);
}

/**
 * Why a run that meets every gate has shown nothing all the same: no episode succeeded, a policy that never succeeds
 * would have met them too, or tasks of the baseline were left out without a word. Empty for an honest PASS. Pure.
 */
export function nothingShown(shown: Shown): Reason[] {
  const { candidate, rules, dropped = [] } = shown;
  const reasons: Reason[] = [];
  const low = lowBaseline(shown);
  if (candidate.successes === 0) {
    const text = `No episode of ${candidate.valid} succeeded: there is nothing here that could have got worse, so this is no pass.`;
    reasons.push({ code: 'nothing_to_show', text });
  } else if (low !== null) {
    const text = `The baseline succeeded in ${low.k}/${low.n} = ${percentOf(low.k, low.n)}% only: a policy that never succeeds would have met the allowed drop of ${givenPercent(rules.maxRegression)} points too, so this is no pass.`;
    reasons.push({ code: 'nothing_to_show', text });
  } else if (onlyEmptyFloors(shown)) {
    const text = 'A policy that never succeeds would have met a floor of 0% too, so this is no pass.';
    reasons.push({ code: 'nothing_to_show', text });
  }
  if (dropped.length > 0 && rules.allowDroppedTasks !== true) {
    const text = `The plan leaves out ${taskList(dropped)} of the baseline: what the candidate does there is not known, so this is no pass. Plan them too, or say allow-dropped-tasks.`;
    reasons.push({ code: 'tasks_dropped', text });
  }
  return reasons;
}

/** Where leaving tasks out was allowed, it is said all the same. */
export function droppedNote({ rules, dropped = [] }: Shown): Reason[] {
  if (dropped.length === 0 || rules.allowDroppedTasks !== true) return [];
  const text = `The plan leaves out ${taskList(dropped)} of the baseline, as allow-dropped-tasks allows: nothing is known of the candidate there.`;
  return [{ code: 'tasks_dropped_allowed', text }];
}

function taskList(dropped: readonly DroppedTask[]): string {
  const names = dropped.map(({ taskId, k, n }) => `task ${taskId} (${k}/${n} there)`);
  return few(names);
}

/** Nothing decided but floors that everything meets. */
function onlyEmptyFloors({ comparison, rules, anchor }: Shown): boolean {
  const compares = comparison.kind === 'paired' || comparison.kind === 'published' || anchor !== null;
  return !compares && (rules.minSuccessRate ?? 0) <= 0 && (rules.minTaskSuccessRate ?? 0) <= 0;
}

/** The baseline's counts, where even a candidate without any success passes and ours is not shown to be better. */
function lowBaseline({ candidate, comparison, rules }: Shown): { k: number; n: number } | null {
  const margin = rules.maxRegression;
  if (comparison.kind === 'published') {
    const { successes: k, n } = comparison;
    if (k / n >= margin) return null;
    const units = unitsOf(candidate);
    const worst = unpairedMarginP([0, units.n], [k, n], margin);
    const isBetter = passes(unpairedWorseP([k, n], [units.low, units.n]));
    return passes(worst) && !isBetter ? { k, n } : null;
  }
  if (comparison.kind !== 'paired') return null;
  const { pairs } = comparison.pairing;
  const { both, regressed, n } = countPairs(pairs);
  const k = both + regressed;
  if (n === 0 || k / n >= margin) return null;
  const failed = pairs.map((pair) => ({ ...pair, candidate: false }));
  const swapped = pairs.map((pair) => ({ ...pair, candidate: pair.baseline, baseline: pair.candidate }));
  const worst = differenceOfPairs(failed, comparison.name, margin);
  const ours = differenceOfPairs(swapped, comparison.name, margin);
  return passes(worst?.marginal) && !passes(ours?.worse) ? { k, n } : null;
}

function passes(p: number | undefined): boolean {
  return p !== undefined && p <= TEST_LEVEL;
}
