import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Decision, Reason } from '../model/verdict.ts';
import { type AnchorSummary, anchorPairs, type GivenAnchor, summariseAnchor } from './anchor.ts';
import type { Baseline, Comparison } from './comparison.ts';
import { type DecisionInput, decide } from './decide.ts';
import { earlyStop, type StopInput, sequentialGates, stoppedPlan } from './early-stop.ts';
import { answeredPositions } from './early-stop-records.ts';
import type { StopState } from './early-stop-walk.ts';
import type { GateResult } from './gates.ts';
import { droppedTasks } from './nothing-shown.ts';
import { type PairedSummary, type RerunNoise, rerunNoise, summarisePairs } from './paired-summary.ts';
import { pairedWith } from './paired-with.ts';
import { integrityOf, tallyArm } from './record-checks.ts';
import { type CompletenessLimits, DEFAULT_LIMITS } from './tally.ts';
import { summariseUnpaired, type UnpairedSummary } from './unpaired-summary.ts';
import { comparisonWarnings } from './warnings.ts';

interface RecordOptions {
  /** Left out: the plan's own baseline arm when it has one, else none. */
  readonly baseline?: Baseline;
  /** The run that small drops are added up since; left out: none. */
  readonly anchor?: GivenAnchor | undefined;
  /** How the policy's identity changed during the run, in words; left out: it did not. */
  readonly policyChanged?: string | undefined;
  readonly limits?: CompletenessLimits;
  /** The baseline is known to be the same policy: what differs is rerun noise. */
  readonly samePolicy?: boolean;
  /**
   * Where the run stopped, as cells of the candidate in planned order, when its journal tells; left out when it did not
   * stop. Left out: where the rules themselves would have stopped it.
   */
  readonly stoppedAt?: number | undefined;
  /** The sessions were queued by others; left out: they were planned. */
  readonly unplanned?: boolean;
  /** Why the run cannot carry what it is for, whatever its numbers; INVALID when there is any. */
  readonly unfit?: readonly Reason[];
  /** Warnings found outside the records; the records' own patterns are added by the caller that wants them. */
  readonly warnings?: readonly Reason[];
}

/** The verdict on the records of one plan (all shards together, in any order). */
export function decideFromRecords(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions = {},
): Decision {
  return assess(plan, records, options).decision;
}

/** A verdict with the figures a report shows beside it. */
export interface Assessment {
  readonly decision: Decision;
  /** The gates it rests on; none for an INVALID run. */
  readonly gates: readonly GateResult[];
  /** Against records on the same cells; null otherwise, and where the two sides are not comparable. */
  readonly paired: PairedSummary | null;
  /** Against a count; null otherwise. */
  readonly unpaired: UnpairedSummary | null;
  /** Against the anchor; null without a comparable one. */
  readonly anchor: AnchorSummary | null;
  /** Rerun noise, when both sides are known to be one policy; null otherwise. */
  readonly noise: RerunNoise | null;
  /** Null unless the plan may stop early. */
  readonly stop: StopState | null;
}

/** The verdict on the records of one plan and everything it rests on. Pure; the order of records cannot matter. */
export function assess(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions = {},
): Assessment {
  const { input, stop } = prepare(plan, records, options);
  const { candidate, comparison } = input;
  const pairs = comparison.kind === 'paired' && isComparable(input) ? comparison : null;
  const summary = pairs === null ? null : summarisePairs(pairs.pairing, pairs.name);
  const added = pairs?.added ?? 0;
  const paired = summary === null || added === 0 ? summary : { ...summary, added };
  const samePolicy = options.samePolicy === true || plan.aaTest === true;
  const notes =
    pairs === null
      ? []
      : [
          ...(pairs.notes ?? []),
          ...comparisonWarnings(pairs.pairing, paired, { samePolicy, mayStop: stop !== null }),
        ];
  const noise = pairs !== null && samePolicy ? rerunNoise(pairs.pairing) : null;
  const unpaired = comparison.kind === 'published' ? summariseUnpaired(candidate, comparison) : null;
  const decided = decide({ ...input, warnings: [...input.warnings, ...notes] });
  const anchor = summariseAnchor(input.anchor ?? null, plan.thresholds);
  return { ...decided, paired, unpaired, anchor, noise, stop };
}

/** Reasons after which nobody knows which policies a difference would be between. */
const NO_KNOWN_POLICY: ReadonlySet<string> = new Set(['policy_not_proven', 'policy_changed']);

/** A difference between runs of two protocols, or of unknown policies, is no number to print beside a verdict. */
function isComparable({ comparison, unfit }: Pick<DecisionInput, 'comparison' | 'unfit'>): boolean {
  const sameProtocol = comparison.kind !== 'paired' || comparison.differing.length === 0;
  return sameProtocol && !unfit.some(({ code }) => NO_KNOWN_POLICY.has(code));
}

/** The plain data a verdict on these records rests on. */
export function decisionInput(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions = {},
): DecisionInput {
  return prepare(plan, records, options).input;
}

const NO_ANCHOR: GivenAnchor = { baseline: { kind: 'none', note: null }, named: false };

/**
 * A run that stopped early answers for the cells up to the decision, and its gates are the sequential ones.
 */
function prepare(
  plan: Plan,
  records: readonly EpisodeRecord[],
  options: RecordOptions,
): { input: DecisionInput; stop: StopState | null } {
  const baseline = options.baseline ?? ownBaseline(plan, records);
  const limits = options.limits ?? DEFAULT_LIMITS;
  const stop = plan.earlyStop === true ? stopOf({ plan, records, limits }, baseline) : null;
  const answered = stop === null ? plan : answeredPlan(plan, stop.ended, options.stoppedAt);
  const since = anchorPairs(answered, records, options.anchor ?? NO_ANCHOR);
  const input: DecisionInput = {
    candidate: tallyArm(answered, records, 'candidate'),
    ...(stop === null ? {} : { whole: tallyArm(plan, records, 'candidate') }),
    comparison: comparisonOf(answered, records, baseline),
    rules: plan.thresholds,
    limits,
    integrity: integrityOf(plan, records, options.policyChanged ?? null),
    anchor: since.anchor,
    unfit: [...(options.unfit ?? []), ...since.unfit],
    warnings: [...(options.warnings ?? []), ...since.notes],
    dropped: baseline.kind === 'records' ? droppedTasks(plan, baseline.records) : [],
    unplanned: options.unplanned === true,
    imported: records.some(({ evidenceClass }) => evidenceClass === 'imported'),
    sequential: stop === null ? null : sequentialGates(stop.gates, plan.thresholds, nameOf(baseline)),
  };
  return { input, stop: stop?.gates ?? null };
}

/** A run ends where its journal says, even if the rules it is judged by would have let it go on. */
function answeredPlan(plan: Plan, ended: StopState, stoppedAt: number | undefined): Plan {
  if (stoppedAt === undefined) return stoppedPlan(plan, ended);
  const answered = answeredPositions(plan, stoppedAt);
  return { ...plan, cells: plan.cells.filter((_, position) => answered.has(position)) };
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

/** The baseline joined with a plan's cells: with those that it was asked for, too. */
export function comparisonOf(plan: Plan, records: readonly EpisodeRecord[], baseline: Baseline): Comparison {
  if (baseline.kind !== 'records') return baseline;
  const { name, differing } = baseline;
  return { kind: 'paired', name, differing, ...pairedWith(plan, records, baseline) };
}
