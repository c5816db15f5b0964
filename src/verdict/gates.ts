import { newcombeUnpaired } from '../stats/newcombe.ts';
import { givenPercent, percentBeside, percentOf, percentOfRate, points } from '../stats/rounding.ts';
import { type PairedCounts, tango } from '../stats/tango.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import type { Tally, TaskTally } from './tally.ts';
import { GATE_LEVEL, type Rules, reachesFloor } from './thresholds.ts';
import type { Reason } from './verdict.ts';

/** What one gate found. `notes` are shown as warnings and never decide. */
export interface GateResult {
  readonly gate: 'floor' | 'task_floor' | 'non_inferiority';
  readonly result: 'pass' | 'fail' | 'inconclusive';
  readonly reason: Reason;
  readonly notes: readonly Reason[];
}

/** The floors that are set: overall on k of n, then every task. A task without a valid episode fails its floor. */
export function floorGates(tally: Tally, rules: Rules): GateResult[] {
  const gates: GateResult[] = [];
  if (rules.minSuccessRate !== null) gates.push(overallFloor(tally, rules.minSuccessRate, rules));
  if (rules.minTaskSuccessRate !== null) gates.push(taskFloor(tally, rules.minTaskSuccessRate, rules));
  return gates;
}

function overallFloor(tally: Tally, floor: number, rules: Rules): GateResult {
  const ok = reachesFloor(tally.successes, tally.valid, floor, rules.thresholdMode);
  const wanted = `${givenPercent(floor)}%`;
  const notes: Reason[] = [];
  const interval = wilson(tally.successes, tally.valid);
  if (interval !== null && interval.low < floor && floor <= interval.high) {
    notes.push({
      code: 'floor_inside_interval',
      text: `The floor of ${wanted} lies inside the 95% interval (${span(interval)}): this run cannot tell on which side of it the policy really is.`,
    });
  }
  const verb = ok ? 'reaches' : 'misses';
  return {
    gate: 'floor',
    result: ok ? 'pass' : 'fail',
    reason: {
      code: ok ? 'floor_reached' : 'floor_missed',
      text: `${describeRate(tally, floor, rules)} ${verb} the floor of ${wanted}.`,
    },
    notes,
  };
}

function taskFloor(tally: Tally, floor: number, rules: Rules): GateResult {
  const below = tally.tasks.filter(
    (task) => !reachesFloor(task.successes, task.valid, floor, rules.thresholdMode),
  );
  const wanted = `${givenPercent(floor)}%`;
  if (below.length === 0) {
    const text = `Every task reaches the per-task floor of ${wanted}.`;
    return { gate: 'task_floor', result: 'pass', reason: { code: 'task_floor_reached', text }, notes: [] };
  }
  const names = below.map((task) => `task ${task.taskId} (${describeRate(task, floor, rules)})`).join(', ');
  return {
    gate: 'task_floor',
    result: 'fail',
    reason: {
      code: 'task_floor_missed',
      text: `${below.length} of ${tally.tasks.length} tasks miss the per-task floor of ${wanted}: ${names}.`,
    },
    notes: [],
  };
}

function describeRate(
  { successes, valid }: Pick<TaskTally, 'successes' | 'valid'>,
  floor: number,
  rules: Rules,
): string {
  const rate = percentOf(successes, valid);
  if (rate === null) return 'no valid episode';
  if (rules.thresholdMode === 'point')
    return `${successes}/${valid} = ${percentBeside(successes, valid, floor)}%`;
  const bound = wilson(successes, valid, GATE_LEVEL)?.low ?? 0;
  return `${successes}/${valid} = ${rate}%, one-sided 95% lower bound ${percentOfRate(bound)}%,`;
}

/** A difference with its 90 % interval, decided by the rule every comparison shares. */
export interface Difference {
  readonly delta: number;
  /** 90 % two-sided: each end is a one-sided 95 % bound. */
  readonly interval: Interval;
  readonly against: string;
  /** Must also hold before a drop is called one (several runs per state: the sign-flip test); true otherwise. */
  readonly dropConfirmed: boolean;
}

/**
 * PASS when the lower bound is above −margin; FAIL when the upper bound is below 0 and it is no PASS;
 * INCONCLUSIVE otherwise. A PASS whose whole interval is below 0 carries the note that the drop is real.
 */
export function nonInferiorityGate(difference: Difference, margin: number): GateResult {
  const { delta, interval, against, dropConfirmed } = difference;
  const measured = `${points(delta)} points against ${against} (one-sided 95% bounds ${points(interval.low)} and ${points(interval.high)})`;
  const limit = `${givenPercent(margin)} points`;
  const drop = interval.high < 0;
  const gate = 'non_inferiority' as const;
  if (interval.low > -margin) {
    const text = `${measured}: a drop of ${limit} or more is ruled out.`;
    const note = { code: 'drop_inside_margin', text: `A real drop, inside the margin: ${measured}.` };
    return {
      gate,
      result: 'pass',
      reason: { code: 'not_inferior', text },
      notes: drop && dropConfirmed ? [note] : [],
    };
  }
  if (drop && dropConfirmed) {
    const text = `${measured}: the candidate is worse, and a drop of ${limit} is not ruled out.`;
    return { gate, result: 'fail', reason: { code: 'regression', text }, notes: [] };
  }
  const text = `${measured}: neither a drop of ${limit} is ruled out nor a drop shown.`;
  return { gate, result: 'inconclusive', reason: { code: 'cannot_tell', text }, notes: [] };
}

/** The paired difference on Tango's interval; null without pairs. */
export function pairedDifference(counts: PairedCounts, against: string): Difference | null {
  const interval = tango(counts, GATE_LEVEL);
  if (interval === null) return null;
  return { delta: (counts.fixed - counts.regressed) / counts.n, interval, against, dropConfirmed: true };
}

/** The unpaired difference on Newcombe's interval; null when an arm has no episodes. */
export function unpairedDifference(
  candidate: readonly [k: number, n: number],
  baseline: readonly [k: number, n: number],
  against: string,
): Difference | null {
  const interval = newcombeUnpaired(candidate, baseline, GATE_LEVEL);
  if (interval === null) return null;
  const delta = candidate[0] / candidate[1] - baseline[0] / baseline[1];
  return { delta, interval, against, dropConfirmed: true };
}

function span(interval: Interval): string {
  return `${percentOfRate(interval.low)} to ${percentOfRate(interval.high)}`;
}
