import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { ArmFacts, RunFacts } from '../model/run-facts.ts';
import type { Decision, Reason } from '../model/verdict.ts';
import { type PreparedBaseline, prepareRecords } from './baseline.ts';
import { recordsOfStopBaseline, type StopBaseline } from './early-stop-baseline.ts';
import { assess } from './from-records.ts';
import { orderWarnings } from './observed-order.ts';
import { proofReasons, proofWarnings } from './policy-proof.ts';
import { releaseReasons } from './release.ts';
import { patternWarnings, planWarnings } from './warnings.ts';

interface RunKnowledge {
  readonly run: RunFacts;
  /** The recorded baseline of a run that may stop early; the run itself knows no other. */
  readonly baseline: PreparedBaseline | null;
}

/** What a bundle holds, as far as its own verdict rests on it. */
interface Measured {
  readonly plan: Plan;
  readonly run: RunFacts;
  readonly stopBaseline: StopBaseline | null;
}

/**
 * The baseline that a run which may stop early was looked at with: where it ended follows from that one, so no other can
 * judge it. Null without one. Pure.
 */
export function keptBaseline({ plan, run, stopBaseline }: Measured): PreparedBaseline | null {
  if (stopBaseline === null) return null;
  return prepareRecords(plan, run.fingerprint, recordsOfStopBaseline(stopBaseline, plan.benchmark));
}

/**
 * The verdict that a bundle's own pages show: from what the bundle holds and nothing else, so that whoever has it can
 * render them again. Pure.
 */
export function sealedDecision(measured: Measured, records: readonly EpisodeRecord[]): Decision {
  const { plan, run } = measured;
  if (run.evidenceClass === 'unplanned') return assess(plan, records, { unplanned: true }).decision;
  return decideRun(plan, records, { run, baseline: keptBaseline(measured) });
}

/** The verdict that a run can give by itself: floors, and its own baseline arm where it has one. Pure. */
export function decideRun(plan: Plan, records: readonly EpisodeRecord[], knowledge: RunKnowledge): Decision {
  const { run, baseline } = knowledge;
  const changed = run.arms.flatMap(({ changed: text }) => (text === null ? [] : [text]));
  const { decision } = assess(plan, records, {
    ...(baseline === null ? {} : { baseline: baseline.baseline }),
    policyChanged: changed.length === 0 ? undefined : changed.join('; '),
    unfit: [...proofReasons(plan, records), ...unfitReasons(plan, run, baseline)],
    warnings: [...(baseline?.warnings ?? []), ...runWarnings(plan, records, run)],
  });
  return decision;
}

/** Why a run cannot carry what it is for, whatever its numbers. Pure. */
export function unfitReasons(plan: Plan, run: RunFacts, prepared: PreparedBaseline | null): Reason[] {
  const baseline =
    prepared?.grade === undefined
      ? null
      : {
          name: prepared.baseline.kind === 'none' ? '' : prepared.baseline.name,
          grade: prepared.grade,
          vouched: prepared.vouched,
        };
  return [...settlementReasons(run), ...releaseReasons({ plan, run, baseline })];
}

/** What looks suspicious or is not known about a run; it never decides. Pure. */
export function runWarnings(
  plan: Plan,
  records: readonly EpisodeRecord[],
  { arms }: Pick<RunFacts, 'arms'>,
): Reason[] {
  // Other tools say neither when an episode ran nor who answered, and that is said of all their results at once.
  if (records.some(({ evidenceClass }) => evidenceClass === 'imported'))
    return [
      ...(plan.cellsBy === 'order' || plan.cellsBy === 'count' ? [] : planWarnings(plan, false)),
      ...(plan.cellsBy === 'count' ? [] : patternWarnings(plan, records)),
    ];
  return [
    ...planWarnings(plan, plan.arms.length > 1 || plan.stopBaseline !== undefined),
    ...patternWarnings(plan, records),
    ...proofWarnings(records),
    ...orderWarnings(plan, records),
    ...identityWarnings(arms),
  ];
}

/** Without metadata nothing proves which policy answered. */
function identityWarnings(arms: readonly ArmFacts[]): Reason[] {
  return arms
    .filter(({ metadataBefore }) => metadataBefore === null)
    .map(({ arm }) => ({
      code: 'policy_identity_unknown',
      text: `Policy identity unknown: the ${arm} policy sends no metadata that tells one checkpoint from another.`,
    }));
}

/** INVALID when the measured target, its contract or the skill runtime was another one at the end. Pure. */
export function settlementReasons({ settlement }: Pick<RunFacts, 'settlement'>): Reason[] {
  if (settlement?.measuredUnchanged !== false) return [];
  const what = settlement.changes
    .filter(({ concerns }) => concerns === 'measured')
    .map((change) => change.what);
  const text = `What is measured changed during the run: ${what.join('; ')}. Measure again, with nobody editing it meanwhile.`;
  return [{ code: 'measured_changed', text }];
}
