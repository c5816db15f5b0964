import type { Reason } from '../model/verdict.ts';
import { clopperPearson } from '../stats/beta-intervals.ts';
import { marginP } from '../stats/margin-test.ts';
import { newcombeUnpaired } from '../stats/newcombe.ts';
import { nonInferiorityEpisodes } from '../stats/power.ts';
import { fixed, givenPercent, percentBeside, percentOf, percentOfRate, points } from '../stats/rounding.ts';
import { tango } from '../stats/tango.ts';
import type { PairedCounts } from '../stats/tango-score.ts';
import { unpairedMarginP, unpairedWorseP } from '../stats/unpaired-tests.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import { worseP } from '../stats/worse-test.ts';
import { GATE_LEVEL, SHOWN_LEVEL, TEST_LEVEL } from './levels.ts';
import { type Counted, type Tally, unitsOf } from './tally.ts';
import { type Rules, reaches, unitsProving } from './thresholds.ts';

/** What one gate found. `notes` are shown as warnings and never decide. */
export interface GateResult {
  readonly gate: 'floor' | 'task_floor' | 'non_inferiority' | 'anchor';
  /** `noted`: tested, and neither for nor against a PASS. */
  readonly result: 'pass' | 'fail' | 'inconclusive' | 'noted';
  readonly reason: Reason;
  /** p of "the candidate is no worse"; left out where nothing is tested, as for a floor. */
  readonly p?: number;
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
  const ok = reaches(tally, floor, rules.thresholdMode);
  const wanted = `${givenPercent(floor)}%`;
  const notes: Reason[] = [];
  const { low: k, n } = unitsOf(tally);
  const interval = wilson(k, n);
  // A bound that reaches the floor has told: the interval has a stricter level and does not decide.
  const told = ok && rules.thresholdMode === 'lower-bound';
  if (!told && interval !== null && interval.low < floor && floor <= interval.high) {
    const where = `The floor of ${wanted} lies inside the 95% interval (${span(interval)})`;
    notes.push(
      rules.thresholdMode === 'lower-bound'
        ? { code: 'floor_not_proven', text: `${where}: it is not proven. ${provingText(tally, floor)}` }
        : {
            code: 'floor_inside_interval',
            text: `${where}: this run cannot tell on which side of it the policy really is.`,
          },
    );
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

/** How large a run would be that proves the floor with the rate that was measured. */
function provingText(tally: Tally, floor: number): string {
  const { low, n } = unitsOf(tally);
  const needed = unitsProving({ k: low, n }, floor);
  const units = tally.states === undefined ? 'episodes' : 'initial states';
  return needed === null
    ? 'The measured rate is not above it by as much as a run could prove.'
    : `At the measured rate about ${needed} ${units} would prove it.`;
}

function taskFloor(tally: Tally, floor: number, rules: Rules): GateResult {
  const below = tally.tasks.filter((task) => !reaches(task, floor, rules.thresholdMode));
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

function describeRate(counted: Counted, floor: number, rules: Rules): string {
  const { successes, valid, states } = counted;
  const rate = percentOf(successes, valid);
  if (rate === null) return 'no valid episode';
  if (rules.thresholdMode === 'point')
    return `${successes}/${valid} = ${percentBeside(successes, valid, floor)}%`;
  const { low, n } = unitsOf(counted);
  const bound = clopperPearson(low, n, GATE_LEVEL)?.low ?? 0;
  const over = states === undefined ? '' : ` over ${n} initial states`;
  return `${successes}/${valid} = ${rate}%, one-sided 95% lower bound ${percentOfRate(bound)}% (Clopper-Pearson)${over},`;
}

/** A difference with what decides about it. Rates; p values between 0 and 1. */
export interface Difference {
  readonly delta: number;
  /** 95 % two-sided. Shown; it never decides. Null where only the tests are known. */
  readonly interval: Interval | null;
  readonly against: string;
  /** p of "the candidate is no worse". */
  readonly worse: number;
  /** p of "the candidate is worse by the margin or more". */
  readonly marginal: number;
  /** Episodes of each side that would tell, as far as that can be said; left out: nobody computed it. */
  readonly needed?: number;
}

/**
 * PASS when "worse by the margin or more" is rejected at 5 %; FAIL when "no worse" is and it is no PASS; INCONCLUSIVE
 * otherwise. A PASS of a candidate that is worse all the same carries a note. Either error is at most 5 %.
 */
export function nonInferiorityGate(difference: Difference, margin: number): GateResult {
  const { delta, interval, against, worse, marginal } = difference;
  const range = interval === null ? '' : ` (95% ${points(interval.low)} to ${points(interval.high)})`;
  const measured = `${points(delta)} points against ${against}${range}`;
  const limit = `${givenPercent(margin)} points`;
  const drop = worse <= TEST_LEVEL;
  const gate = 'non_inferiority' as const;
  if (marginal <= TEST_LEVEL) {
    const text = `${measured}: a drop of ${limit} or more is ruled out (${pText(marginal)}).`;
    const note = {
      code: 'drop_inside_margin',
      text: `A real drop (${pText(worse)}), inside the margin: ${measured}.`,
    };
    return {
      ...{ gate, result: 'pass' as const, p: worse },
      reason: { code: 'not_inferior', text },
      notes: drop ? [note] : [],
    };
  }
  if (drop) {
    const text = `${measured}: the candidate is worse (${pText(worse)}), and a drop of ${limit} is not ruled out (${pText(marginal)}).`;
    return { gate, result: 'fail', p: worse, reason: { code: 'regression', text }, notes: [] };
  }
  const text = `${measured}: neither a drop of ${limit} is ruled out (${pText(marginal)}) nor a drop shown (${pText(worse)}). ${neededText(difference, limit)}`;
  return { gate, result: 'inconclusive', p: worse, reason: { code: 'cannot_tell', text }, notes: [] };
}

/** What would tell. Without matched states it takes many episodes, and people plan by their number. */
function neededText({ needed }: Difference, limit: string): string {
  if (needed === undefined) return 'More initial states would tell.';
  return `About ${needed} episodes on each side would rule out a drop of ${limit} in four of five comparisons of equal policies at this rate; pairs of the same initial states need far fewer.`;
}

/** `p 0.013`, with the digits that show on which side of 5 % it is. */
export function pText(p: number): string {
  if (p < 0.001) return 'p < 0.001';
  for (let digits = 3; digits < 6; digits += 1) {
    const text = fixed(p, digits) ?? '–';
    if (Number(text) <= TEST_LEVEL === p <= TEST_LEVEL) return `p ${text}`;
  }
  return `p ${p}`;
}

/** The difference of n independent pairs, one run a state and every state with the same weight; null without pairs. */
export function pairedDifference(counts: PairedCounts, against: string, margin: number): Difference | null {
  const interval = tango(counts, SHOWN_LEVEL);
  if (interval === null) return null;
  const delta = (counts.fixed - counts.regressed) / counts.n;
  return { delta, interval, against, worse: worseP(counts), marginal: marginP(counts, margin) };
}

/** A count that somebody published. */
interface Published {
  readonly name: string;
  readonly successes: number;
  readonly n: number;
}

/**
 * The difference against a published count, its interval Newcombe's; null when an arm has no episodes. Where states ran
 * several times they are the units, rounded against each claim: down for "not worse by the margin", up for "worse".
 */
export function unpairedDifference(
  candidate: Counted,
  { name, successes, n: episodes }: Published,
  margin: number,
): Difference | null {
  const { low, high, n } = unitsOf(candidate);
  const baseline = [successes, episodes] as const;
  const interval = newcombeUnpaired([high, n], baseline, SHOWN_LEVEL);
  if (interval === null) return null;
  return {
    delta: candidate.successes / candidate.valid - successes / episodes,
    interval,
    against: name,
    worse: unpairedWorseP([high, n], baseline),
    marginal: unpairedMarginP([low, n], baseline, margin),
    ...neededEpisodes((high + successes) / (n + episodes), margin),
  };
}

/** Nothing for a rate of 0 or 1, at which no formula of this kind holds. */
function neededEpisodes(rate: number, margin: number): Pick<Difference, 'needed'> {
  if (!(rate > 0 && rate < 1 && margin > 0)) return {};
  return { needed: Math.ceil(nonInferiorityEpisodes(2 * rate * (1 - rate), margin)) };
}

function span(interval: Interval): string {
  return `${percentOfRate(interval.low)} to ${percentOfRate(interval.high)}`;
}
