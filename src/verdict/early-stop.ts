import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { STOP_LEVEL } from '../stats/e-values.ts';
import { fixed, givenPercent, percentOf } from '../stats/rounding.ts';
import type { LookResult, SequentialGate } from './difference-gate.ts';
import { StopProcess } from './early-stop-course.ts';
import { COLLAPSE_LEVEL } from './early-stop-design.ts';
import { answeredPositions } from './early-stop-records.ts';
import type { StopState } from './early-stop-walk.ts';
import { type GateResult, pText } from './gates.ts';
import { TEST_LEVEL } from './levels.ts';
import { type PairKey, pairKey } from './pairing.ts';
import { type CompletenessLimits, DEFAULT_LIMITS } from './tally.ts';
import type { Rules } from './thresholds.ts';

/** What a stop needs of a record; an EpisodeRecord fits. */
type StopRecord = PairKey & Pick<EpisodeRecord, 'arm' | 'outcome'>;

export interface StopInput {
  readonly plan: Plan;
  /** Final outcomes of this run, in any order: a cell whose retry is still to come must not be among them. */
  readonly records: readonly StopRecord[];
  /** Records of the baseline when it is another run; null for a second arm (taken from `records`) or floors only. */
  readonly baseline: readonly StopRecord[] | null;
  readonly limits?: CompletenessLimits;
}

/**
 * Replays the planned order over the longest prefix of resolved cells and stops at the first look that decides:
 * FAIL when any gate proves it, PASS when all gates have been proven, PASS when both happen in one look.
 *
 * The difference is tested as stop-design.ts says, with 5 % a side; floors by exact curtailment. A proven gate stays
 * proven, and a verdict waits while the prefix has too many gaps to be valid. The order of completion cannot matter:
 * a cell is looked at only when all cells before it are resolved.
 */
export function earlyStop({ plan, records, baseline, limits }: StopInput): StopState {
  const outcomes = new Map(records.map((record) => [`${record.arm} ${pairKey(record)}`, record.outcome]));
  return stopProcess(plan, baseline, limits).advance((position) => {
    const cell = plan.cells[position];
    return cell === undefined ? null : outcomes.get(`${cell.arm} ${pairKey({ suite: plan.suite, ...cell })}`);
  });
}

/** The process of a plan that may stop early, at its beginning. See `StopInput` for the baseline. */
export function stopProcess(
  plan: Plan,
  baseline: readonly StopRecord[] | null,
  limits: CompletenessLimits = DEFAULT_LIMITS,
): StopProcess {
  if (baseline !== null) {
    // The arm of another run's records does not matter: its candidate is our baseline.
    const outcomes = new Map(baseline.map((record) => [pairKey(record), record.outcome]));
    return new StopProcess(plan, { kind: 'records', outcomes }, limits);
  }
  return new StopProcess(plan, { kind: plan.arms.includes('baseline') ? 'arm' : 'none' }, limits);
}

/**
 * The part of a plan that a stopped run answers for: the cells up to the decision, of both arms. An undecided run
 * answers for the whole plan.
 */
export function stoppedPlan(plan: Plan, state: StopState): Plan {
  if (state.decision === null) return plan;
  const answered = answeredPositions(plan, state.prefix);
  return { ...plan, cells: plan.cells.filter((_, position) => answered.has(position)) };
}

/** Share of the plan's cells that an early decision saved, 0 without one. */
export function savedShare(state: StopState): number {
  return state.decision === null || state.planned === 0 ? 0 : 1 - state.prefix / state.planned;
}

/** The gates of a run that could stop early, for `decide`; their reasons name the evidence. */
export function sequentialGates(state: StopState, rules: Rules, against: string): GateResult[] {
  return state.gates.map((gate) => ({
    gate: gate.gate,
    result: gate.state === 'open' ? 'inconclusive' : gate.state,
    reason: {
      code: `early_${gate.gate}_${gate.state}`,
      text:
        gate.gate === 'non_inferiority'
          ? evidenceText(gate, state, rules, against)
          : floorText(gate, state, rules),
    },
    ...(gate.gate === 'non_inferiority' ? { p: provenP(gate) } : {}),
    notes: dropNotes(gate, against),
  }));
}

/**
 * A p of the whole design, for verdicts over several comparisons: that of the look that failed, times the looks (Bonferroni),
 * and what a collapse is paid with; 5 % at most, which is the design's own error, and 1 for anything but a FAIL.
 */
function provenP({ state, test, worse }: SequentialGate): number {
  if (state !== 'fail') return 1;
  if (test !== undefined && test.worse <= test.failAt)
    return Math.min(TEST_LEVEL, test.looks * test.worse + COLLAPSE_LEVEL);
  return worse !== null && worse >= 1 / COLLAPSE_LEVEL ? COLLAPSE_LEVEL : TEST_LEVEL;
}

/** A PASS of a candidate that is worse all the same. */
function dropNotes({ state, test }: SequentialGate, against: string): Reason[] {
  if (state !== 'pass' || test === undefined || test.worse > test.failAt) return [];
  const text = `A real drop (${pText(test.worse)}) against ${against}, inside the margin.`;
  return [{ code: 'drop_inside_margin', text }];
}

function evidenceText(gate: SequentialGate, state: StopState, rules: Rules, against: string): string {
  const margin = `${givenPercent(rules.maxRegression)} points`;
  const counts = `${state.regressed} regressed and ${state.fixed} fixed of the first ${state.pairs} pairs against ${against}`;
  const [passing, failing] = gate.notInferior === null ? lookTexts(gate) : eTexts(gate);
  if (gate.state === 'pass') return `${counts}: a drop of ${margin} or more is ruled out (${passing}).`;
  if (gate.state === 'fail') return `${counts}: the candidate is worse (${failing}).`;
  return `${counts}: neither a drop of ${margin} is ruled out nor a drop shown (${passing === failing ? passing : `${passing}; ${failing}`}).`;
}

/** What speaks for a PASS, and for a FAIL. */
function lookTexts({ state, test, worse }: SequentialGate): [string, string] {
  if (state === 'fail' && (test === undefined || test.worse > test.failAt)) {
    const collapse = `a collapse: e-value ${eText(worse)}, ${1 / COLLAPSE_LEVEL} decides`;
    return [collapse, collapse];
  }
  if (test === undefined) return ['before the first look', 'before the first look'];
  return [lookText(test, test.marginal, test.passAt), lookText(test, test.worse, test.failAt)];
}

/** Both with as many digits as show on which side of the limit p is. */
function lookText({ look, looks }: LookResult, p: number, decidesAt: number): string {
  const least = decidesAt < 0.001 ? 5 : 4;
  let [shown, limit] = [pText(p), fixed(decidesAt, least)];
  for (
    let digits = least;
    digits < 9 && Number(shown.replace('p < ', 'p ').slice(2)) <= Number(limit) !== p <= decidesAt;
    digits += 1
  )
    [shown, limit] = [`p ${fixed(p, digits)}`, fixed(decidesAt, digits)];
  return `look ${look} of ${looks}: ${shown}, ${limit} decides`;
}

function eTexts(gate: SequentialGate): [string, string] {
  const text = `e-values: worse ${eText(gate.worse)}, not inferior ${eText(gate.notInferior)}; ${1 / STOP_LEVEL} decides`;
  return [text, text];
}

function floorText(gate: SequentialGate, state: StopState, rules: Rules): string {
  const floor = gate.gate === 'floor' ? rules.minSuccessRate : rules.minTaskSuccessRate;
  const name = `${gate.gate === 'floor' ? 'the floor' : 'the per-task floor'} of ${givenPercent(floor ?? 0)}%`;
  const seen = `${state.successes}/${state.valid} = ${percentOf(state.successes, state.valid) ?? '–'}% after ${state.prefix} of ${state.planned} cells`;
  if (gate.state === 'pass') return `${seen}: ${name} is reached whatever the rest would be.`;
  if (gate.state === 'fail') return `${seen}: ${name} is out of reach whatever the rest would be.`;
  return `${seen}: ${name} is still open.`;
}

function eText(value: number | null): string {
  if (value === null) return '–';
  return value >= 1000 ? 'over 1000' : (fixed(value, 2) ?? '–');
}
