import { type EvidenceKind, isHeldOutPlan, type Plan } from '../model/plan.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { RUNTIME_EDITED } from '../model/settlement-facts.ts';
import type { Reason } from '../model/verdict.ts';

/** Only a run that was planned and relied on a fresh qualification can carry a release. */
export type EvidenceGrade = 'qualified' | 'exploratory';

/** How far a run's numbers can be trusted, for people and for releases. Pure. */
export function gradeOf(
  run: Pick<RunFacts, 'evidenceClass' | 'qualification'>,
  { evidence }: EvidenceKind,
): EvidenceGrade {
  const isStrong = run.evidenceClass === 'planned' && evidence === undefined;
  return isStrong && run.qualification !== undefined ? 'qualified' : 'exploratory';
}

/** What a reader of numbers that rest on sessions alone has to know. */
export const SESSION_EVIDENCE =
  'Session evidence: that the planned tasks and initial states ran follows from the targets that the sessions named and their own success; the simulator did not confirm it. It carries no release.';

/** What a release looks at beside the episodes. */
interface ReleaseEvidence {
  readonly plan: Plan;
  readonly run: RunFacts;
  /** Episodes of another run that it is compared with; null: its own arm, a count, or nothing. */
  readonly baseline: {
    readonly name: string;
    readonly grade: EvidenceGrade;
    /** Why a person accepted it though another tool measured it; left out: nobody did. */
    readonly vouched?: string | undefined;
  } | null;
}

/**
 * Why a run cannot carry a release though its numbers may be sound; empty for every other purpose. Pure. The verdict is
 * INVALID when there is any.
 */
export function releaseReasons(evidence: ReleaseEvidence): Reason[] {
  if (evidence.plan.purpose !== 'release') return [];
  if (evidence.run.evidenceClass === 'imported') return [importedReason()];
  return [
    ...sessionReasons(evidence),
    ...gradeReasons(evidence),
    ...approvalReasons(evidence),
    ...recordingReasons(evidence),
    ...runtimeReasons(evidence),
    ...selectionReasons(evidence),
    ...baselineReasons(evidence),
  ];
}

/** Such a plan is refused before it is measured; a bundle may come from elsewhere. */
function sessionReasons({ plan }: ReleaseEvidence): Reason[] {
  if (plan.evidence === undefined) return [];
  const text = `${SESSION_EVIDENCE} Measure the release on a target that names benchmark, task and initial state.`;
  return [{ code: 'session_evidence', text }];
}

/** Such a bundle follows from files that the measured job itself wrote. */
function importedReason(): Reason {
  const text =
    'The numbers were supplied by the measured job: imported results gate pull requests and nightlies, and carry no release. Measure the release with rollout-bench run; as its baseline they need a person’s word (rollout-bench accept --reason).';
  return { code: 'imported_evidence', text };
}

function gradeReasons({ plan, run }: ReleaseEvidence): Reason[] {
  if (plan.evidence !== undefined || gradeOf(run, plan) === 'qualified') return [];
  const why =
    run.evidenceClass === 'planned'
      ? 'no fresh qualification showed before it that this benchmark tells good policies from bad ones'
      : 'its sessions were queued by others and not planned';
  const text = `The evidence is exploratory: ${why}. Run rollout-bench qualify on the host, then measure again.`;
  return [{ code: 'exploratory', text }];
}

/** What was recorded is judged with the episodes; here it only matters that it was. */
function recordingReasons({ run }: ReleaseEvidence): Reason[] {
  if (run.recording !== undefined) return [];
  const text = `Which policy answered was not recorded: the runtime's own documents do not say it. Measure again with record-policy: true.`;
  return [{ code: 'policy_not_recorded', text }];
}

/** It tells how the runtime works here: sessions before and after the edit may not be of one setup. */
function runtimeReasons({ run }: ReleaseEvidence): Reason[] {
  const edited = run.settlement?.changes.some(({ what }) => what === RUNTIME_EDITED) === true;
  if (!edited) return [];
  const text = `RUNTIME.md was edited during the run. Measure the release again, with nobody editing it meanwhile.`;
  return [{ code: 'runtime_changed', text }];
}

/** A release that a workflow measured; on the command line whoever started it answers for it. */
function approvalReasons({ plan, run }: ReleaseEvidence): Reason[] {
  const notApproved = (why: string): Reason[] => [{ code: 'not_approved', text: `Not approved: ${why}.` }];
  if (run.approval === undefined) {
    if (typeof run.source.githubRunId !== 'string') return [];
    return notApproved('the run took no approval before its first session');
  }
  if (run.approval.state === 'waived') return [];
  const { binding, suite, repository } = run.approval.approval;
  if (suite !== plan.suite) return notApproved(`the approval that it names is for ${suite}`);
  if (typeof run.source.repository === 'string' && repository !== run.source.repository)
    return notApproved(`the approval that it names is of ${repository}`);
  // A held-out plan is covered by its public one, which commits to it.
  if (!isHeldOutPlan(plan) && binding.planDigest !== run.planDigest)
    return notApproved('the approval that it names is for another plan');
  if (binding.headCommit === (run.source.headCommit ?? null)) return [];
  return notApproved('the approval that it names is for another commit');
}

/** A run refuses such a release before it begins; a bundle may come from elsewhere. */
function selectionReasons({ run }: ReleaseEvidence): Reason[] {
  const overlap = run.selection?.overlap ?? 0;
  if (overlap === 0) return [];
  const text = `${overlap} of the measured cells helped to select this policy, so they say nothing about others. Measure the release on cells that no selection has seen.`;
  return [{ code: 'selected_cells', text }];
}

function baselineReasons({ baseline }: ReleaseEvidence): Reason[] {
  if (baseline === null || baseline.grade === 'qualified' || baseline.vouched !== undefined) return [];
  const text = `The baseline ${baseline.name} is exploratory: it was measured without a fresh qualification. Measure it again after rollout-bench qualify, or compare with a second arm.`;
  return [{ code: 'baseline_exploratory', text }];
}
