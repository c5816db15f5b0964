import type { Decision, Reason, Verdict } from '../model/verdict.ts';
import { type AnchorPairs, anchorGate } from './anchor.ts';
import type { Comparison } from './comparison.ts';
import { LOOKS } from './early-stop-design.ts';
import { floorGates, type GateResult, nonInferiorityGate, unpairedDifference } from './gates.ts';
import { comparisonReasons, type Integrity, ruleReasons, runReasons } from './integrity.ts';
import { type DroppedTask, droppedNote, nothingShown } from './nothing-shown.ts';
import { differenceOfPairs } from './paired-difference.ts';
import type { CompletenessLimits, Tally } from './tally.ts';
import type { Rules } from './thresholds.ts';

/** Everything a verdict depends on, as plain data. */
export interface DecisionInput {
  readonly candidate: Tally;
  /** Of the whole plan, where the run stopped early: what a floor can reach is asked of the plan. Left out: the same. */
  readonly whole?: Tally;
  readonly comparison: Comparison;
  readonly rules: Rules;
  readonly limits: CompletenessLimits;
  readonly integrity: Integrity;
  /** Reasons found elsewhere that make the run INVALID for its purpose, such as a release. */
  readonly unfit: readonly Reason[];
  /** Warnings found elsewhere (suspicious patterns); carried through, they never decide. */
  readonly warnings: readonly Reason[];
  /**
   * Gates of a run that was allowed to stop early. They replace the fixed-size gates: looking twice at the same
   * data with two tests would spend the error rate twice.
   */
  readonly sequential: readonly GateResult[] | null;
  /** The run that small drops are added up since; null: none. */
  readonly anchor: AnchorPairs | null;
  /** Tasks that the baseline measured and the plan leaves out; left out: none. */
  readonly dropped?: readonly DroppedTask[];
  /** Nothing was planned, so the run can never become a baseline itself; left out: it was. */
  readonly unplanned?: boolean;
  /** Another tool measured; left out: it did not. */
  readonly imported?: boolean;
}

/**
 * The verdict, from data alone: INVALID first, then PASS when every gate passes, FAIL when any fails,
 * INCONCLUSIVE otherwise or when there is no gate; with the gates it rests on, of which an INVALID run has none. Pure; the
 * order of records and shards cannot matter.
 */
export function decide(input: DecisionInput): {
  readonly decision: Decision;
  readonly gates: readonly GateResult[];
} {
  const { candidate, comparison, rules, limits, integrity } = input;
  const compares = comparison.kind === 'paired' || comparison.kind === 'published';
  const invalid = [
    ...runReasons(candidate, integrity, limits),
    ...ruleReasons(input.whole ?? candidate, rules, compares),
    ...comparisonReasons(comparison, limits),
    ...input.unfit,
  ];
  const warnings = [...input.warnings, ...comparisonNotes(comparison)];
  if (invalid.length > 0) {
    const decision: Decision = {
      verdict: 'INVALID',
      reasons: invalid,
      warnings: [...warnings, ...missedFloors(input)],
    };
    return { decision, gates: [] };
  }
  const own = input.sequential === null ? fixedGates(input) : [...input.sequential, ...publishedGate(input)];
  const looks = input.sequential === null ? 1 : LOOKS;
  const gates = [...own, ...anchorGate(input.anchor, rules, looks)];
  const deciding = gates.filter(({ result }) => result !== 'noted');
  const noted = [...droppedNote(input), ...gates.flatMap((gate) => gate.notes)];
  if (deciding.length === 0) return { decision: noGate([...warnings, ...noted], input), gates };
  const combined = combine(gates);
  const nothing = combined === 'PASS' ? nothingShown(input) : [];
  const verdict = nothing.length === 0 ? combined : 'INCONCLUSIVE';
  const decision: Decision = {
    verdict,
    // What decided comes first, so that the first reason explains the verdict.
    reasons: [
      ...nothing,
      ...[...deciding].sort((a, b) => weight(b, verdict) - weight(a, verdict)).map((gate) => gate.reason),
    ],
    warnings: [...warnings, ...noted],
  };
  return { decision, gates };
}

/**
 * Floors that the valid episodes miss though the run cannot be used: whoever measures again wants to know. It decides nothing,
 * and without a valid episode there is nothing to know.
 */
function missedFloors({ candidate, rules, sequential }: DecisionInput): Reason[] {
  if (candidate.valid === 0) return [];
  const isFloor = ({ gate }: GateResult): boolean => gate === 'floor' || gate === 'task_floor';
  return (sequential ?? floorGates(candidate, rules))
    .filter((each) => isFloor(each) && each.result === 'fail')
    .map(({ reason }) => ({ ...reason, text: `Of the valid episodes alone: ${reason.text}` }));
}

function fixedGates(input: DecisionInput): GateResult[] {
  const { candidate, comparison, rules } = input;
  const gates = floorGates(candidate, rules);
  if (comparison.kind !== 'paired') return [...gates, ...publishedGate(input)];
  const difference = differenceOfPairs(comparison.pairing.pairs, comparison.name, rules.maxRegression);
  return difference === null ? gates : [...gates, nonInferiorityGate(difference, rules.maxRegression)];
}

/** A published count never enters the process of an early stop, so it is looked at once, at the end. */
function publishedGate({ candidate, comparison, rules }: DecisionInput): GateResult[] {
  if (comparison.kind !== 'published') return [];
  const difference = unpairedDifference(candidate, comparison, rules.maxRegression);
  return difference === null ? [] : [nonInferiorityGate(difference, rules.maxRegression)];
}

/** FAIL when any gate fails, PASS when all that decide pass. */
export function combine(gates: readonly Pick<GateResult, 'result'>[]): Exclude<Verdict, 'INVALID'> {
  const deciding = gates.filter(({ result }) => result !== 'noted');
  if (deciding.some(({ result }) => result === 'fail')) return 'FAIL';
  return deciding.length > 0 && deciding.every(({ result }) => result === 'pass') ? 'PASS' : 'INCONCLUSIVE';
}

function weight(gate: GateResult, verdict: Verdict): number {
  const deciding = verdict === 'FAIL' ? 'fail' : verdict === 'PASS' ? 'pass' : 'inconclusive';
  return gate.result === deciding ? 1 : 0;
}

function noGate(
  warnings: readonly Reason[],
  { unplanned = false, imported = false }: Pick<DecisionInput, 'unplanned' | 'imported'>,
): Decision {
  const cure = imported
    ? 'For a gate add min-success-rate, or baseline with the result file of another run, or make these results the baseline with rollout-bench accept --reason.'
    : unplanned
      ? 'To judge sessions that others queued, report on this bundle with min-success-rate or a named baseline.'
      : 'Set min-success-rate, name a baseline, or make a run the baseline with rollout-bench accept.';
  const text = `Nothing decides: no floor is set and there is no baseline to compare with. ${cure}`;
  return { verdict: 'INCONCLUSIVE', reasons: [{ code: 'no_gate', text }], warnings: [...warnings] };
}

function comparisonNotes(comparison: Comparison): Reason[] {
  if (comparison.kind === 'none') {
    return comparison.note === null ? [] : [{ code: 'no_baseline', text: comparison.note }];
  }
  if (comparison.kind === 'published') {
    const text = `${comparison.name} is a published count: initial states are not matched, so a drop must be two to three times as large to show.`;
    return [{ code: 'unpaired', text }];
  }
  return [];
}

/** What an INCONCLUSIVE verdict does to the step; FAIL and INVALID always fail it. */
export function stepFails(verdict: Verdict, onInconclusive: 'pass' | 'fail'): boolean {
  return (
    verdict === 'FAIL' || verdict === 'INVALID' || (verdict === 'INCONCLUSIVE' && onInconclusive === 'fail')
  );
}
