import type { Reason } from '../model/verdict.ts';
import { givenPercent } from '../stats/rounding.ts';
import type { Comparison } from './comparison.ts';
import { few } from './few.ts';
import { isMargin } from './margin.ts';
import type { Pairing } from './pairing.ts';
import { type CompletenessLimits, exceeds, type Tally } from './tally.ts';
import { episodesNeededForFloor, type Rules, reachesFloor } from './thresholds.ts';

/** What makes a run unfit for any verdict, found before any number is computed. Lists name cells or sessions. */
export interface Integrity {
  readonly mismatches: readonly string[];
  readonly conflicts: readonly string[];
  readonly duplicates: readonly string[];
  /** Cells in the records that the plan does not know. */
  readonly unplanned: readonly string[];
  /** Values no honest record has: negative or NaN steps, success that is no boolean, steps above the cap. */
  readonly impossible: readonly string[];
  /** How the policy's identity changed during the run, in words; null when it did not, or when nobody could tell. */
  readonly policyChanged: string | null;
}

export const SOUND: Integrity = {
  mismatches: [],
  conflicts: [],
  duplicates: [],
  unplanned: [],
  impossible: [],
  policyChanged: null,
};

/** Reasons why the run itself is INVALID, before any comparison. */
export function runReasons(candidate: Tally, integrity: Integrity, limits: CompletenessLimits): Reason[] {
  const reasons: Reason[] = [];
  const list = (code: string, items: readonly string[], what: string): void => {
    if (items.length > 0) reasons.push({ code, text: `${items.length} ${what}: ${few(items)}.` });
  };
  list('mismatch', integrity.mismatches, 'episodes ran another cell than planned');
  list('conflict', integrity.conflicts, 'episodes whose sources disagree about the outcome');
  list('duplicate', integrity.duplicates, 'cells recorded more than once');
  list('unplanned', integrity.unplanned, 'records of cells that are not in the plan');
  list('impossible_value', integrity.impossible, 'records with impossible values');
  if (integrity.policyChanged !== null) {
    const text = `The policy changed during the run: ${integrity.policyChanged}.`;
    reasons.push({ code: 'policy_changed', text });
  }
  if (candidate.valid === 0) {
    reasons.push({
      code: 'no_episodes',
      text: `None of ${candidate.planned} planned episodes has a valid outcome.`,
    });
  } else {
    reasons.push(...incomplete(lossOf(candidate), limits, 'episodes'));
  }
  return reasons;
}

/** Reasons why the rules cannot decide anything on this plan. */
export function ruleReasons(candidate: Tally, rules: Rules, compares: boolean): Reason[] {
  const reasons: Reason[] = [];
  if (compares && !isMargin(rules.maxRegression)) {
    const text = `The margin must lie between 0 and 1 as a rate, got ${rules.maxRegression}.`;
    reasons.push({ code: 'margin_out_of_range', text });
  }
  const planned = ({ planned: episodes, states }: Pick<Tally, 'planned' | 'states'>): number =>
    states?.planned ?? episodes;
  const units = candidate.states === undefined ? 'episodes' : 'initial states';
  const overall = { n: planned(candidate), units };
  const smallest = { n: Math.min(...candidate.tasks.map(planned)), units };
  reasons.push(
    ...unreachable(rules.minSuccessRate, overall, rules, 'success-rate floor'),
    ...unreachable(rules.minTaskSuccessRate, smallest, rules, 'per-task floor'),
  );
  return reasons;
}

function unreachable(
  floor: number | null,
  { n, units }: { readonly n: number; readonly units: string },
  rules: Rules,
  name: string,
): Reason[] {
  if (floor === null || !Number.isFinite(n) || n === 0) return [];
  if (!(floor >= 0 && floor <= 1)) {
    const text = `The ${name} must lie between 0 and 1 as a rate, got ${floor}.`;
    return [{ code: 'floor_out_of_range', text }];
  }
  if (reachesFloor(n, n, floor, rules.thresholdMode)) return [];
  const needed = episodesNeededForFloor(floor, rules.thresholdMode);
  const cure =
    needed === null ? `no number of ${units} proves a rate of 100%` : `at least ${needed} are needed`;
  const text = `The ${name} of ${givenPercent(floor)}% as a lower bound cannot be reached with ${n} planned ${units}, even if all succeed: ${cure}.`;
  return [{ code: 'floor_unreachable', text }];
}

/** Reasons why a comparison would not mean anything. */
export function comparisonReasons(comparison: Comparison, limits: CompletenessLimits): Reason[] {
  if (comparison.kind === 'none') return [];
  if (comparison.kind === 'absent') {
    const text = `The baseline ${comparison.name} was asked for and is not there.`;
    return [{ code: 'baseline_absent', text }];
  }
  if (comparison.kind === 'refused') return [...comparison.reasons];
  if (comparison.kind === 'published') return [];
  const reasons: Reason[] = [];
  if (comparison.differing.length > 0) {
    const text = `The protocol differs from that of ${comparison.name} in ${comparison.differing.join(', ')}: the two runs do not measure the same thing.`;
    reasons.push({ code: 'fingerprint_differs', text });
  }
  const { duplicates, pairs } = comparison.pairing;
  if (duplicates.length > 0) {
    const text = `${duplicates.length} cells occur more than once in an arm: ${few(duplicates)}.`;
    reasons.push({ code: 'duplicate', text });
  }
  if (pairs.length === 0) {
    const text = `No cell has a valid outcome in both arms (baseline: ${comparison.name}).`;
    reasons.push({ code: 'no_pairs', text });
  } else {
    const lost = incomplete(pairLoss(comparison.pairing), limits, 'pairs');
    // The cause comes before what it leads to.
    reasons.push(...(lost.length === 0 ? [] : smallBaseline(comparison)), ...lost);
  }
  return reasons;
}

interface Loss {
  readonly planned: number;
  readonly lost: number;
  readonly tasks: readonly { readonly taskId: number; readonly planned: number; readonly lost: number }[];
}

function lossOf(tally: Tally): Loss {
  const tasks = tally.tasks.map(({ taskId, planned, valid }) => ({ taskId, planned, lost: planned - valid }));
  return { planned: tally.planned, lost: tally.planned - tally.valid, tasks };
}

/** A baseline of fewer cells is the usual cause of lost pairs, and nothing is wrong with the evidence then. */
function smallBaseline({ name, pairing }: Extract<Comparison, { kind: 'paired' }>): Reason[] {
  const absent = pairing.lost.filter(({ baseline }) => baseline === 'absent').length;
  if (absent === 0) return [];
  const text = `The baseline ${name} holds ${pairing.planned - absent} of the ${pairing.planned} planned cells: plan the same tasks and initial states, or take a baseline that has them.`;
  return [{ code: 'baseline_fewer_cells', text }];
}

function pairLoss(pairing: Pairing): Loss {
  const tasks = pairing.plannedPerTask.map(([taskId, planned]) => ({
    taskId,
    planned,
    lost: pairing.lost.filter((pair) => pair.taskId === taskId).length,
  }));
  return { planned: pairing.planned, lost: pairing.lost.length, tasks };
}

function incomplete(loss: Loss, limits: CompletenessLimits, what: 'episodes' | 'pairs'): Reason[] {
  const reasons: Reason[] = [];
  if (exceeds(loss.lost, loss.planned, limits.overall)) {
    const text = `${loss.lost} of ${loss.planned} planned ${what} have no valid outcome; the limit is ${givenPercent(limits.overall)}%.`;
    reasons.push({ code: 'incomplete', text });
  }
  const worst = loss.tasks.filter((task) => exceeds(task.lost, task.planned, limits.perTask));
  if (worst.length > 0) {
    const names = worst.map((task) => `${task.lost} of ${task.planned} in task ${task.taskId}`);
    const text = `More than ${givenPercent(limits.perTask)}% of the ${what} of a task have no valid outcome: ${few(names)}.`;
    reasons.push({ code: 'task_incomplete', text });
  }
  return reasons;
}
