import type { ApprovalLedger } from '../../approval/ledger.ts';
import type { ApprovalNeed } from '../../approval/need.ts';
import type { ApprovalBook, Use } from '../../approval/uses.ts';
import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import { differencesText, planDifferences } from '../../inputs/plan-differences.ts';
import { type ApprovalSource, type Binding, bindingDifferences, SOURCES } from '../../model/approval.ts';
import type { Plan } from '../../model/plan.ts';

const SHOWN = 3;

/** The run that has no right, and what there is instead. */
interface Refused {
  readonly plan: Plan;
  readonly suite: string;
  readonly binding: Binding;
  readonly need: Extract<ApprovalNeed, { needed: true }>;
  readonly ledger: ApprovalLedger;
  readonly book: ApprovalBook;
  /** Why GitHub gave none, when it was asked. */
  readonly asked: readonly Problem[];
}

/** Why a run without any approval that fits it may not begin: none at all, or one for something else. */
export async function notApproved(refused: Refused): Promise<RbError> {
  const { need, asked, suite } = refused;
  const others = await forAnotherPlan(refused);
  const none: Problem = {
    code: 'RB377',
    where: `run of ${suite}`,
    message: `it needs an approval (${need.why}), and there is none for it on this host.`,
    fix: `Have it approved by ${need.sources.join(' or ')}, then run \`mode: approve\` with the same inputs in a step before, or \`mode: all\`; docs/approval.md shows how.`,
    consequence: 'Nothing was queued.',
    severity: 'fatal',
  };
  return new RbError(EXIT.refused, [...(others.length > 0 ? others : [none]), ...asked]);
}

/** Unused approvals of the same suite, newest first, and what differs. */
async function forAnotherPlan({ plan, suite, binding, ledger, book }: Refused): Promise<Problem[]> {
  const used = new Set(
    book.uses.filter(({ state }) => state !== 'released').map(({ reservation }) => reservation.approvalId),
  );
  const near = book.approvals.filter((each) => each.suite === suite && !used.has(each.id)).slice(-SHOWN);
  return Promise.all(
    near.toReversed().map(async (approval): Promise<Problem> => {
      const before = await ledger.planOf(approval);
      const differences = [
        ...(before === null ? [] : planDifferences(before, plan)),
        ...bindingDifferences(approval.binding, binding),
      ];
      return {
        code: 'RB378',
        where: `run of ${suite}`,
        message: `the approval is for another plan: ${differencesText(differences)}.`,
        value: approval.url,
        fix: 'Run what was approved, or have this approved.',
        consequence: 'Nothing was queued.',
        severity: 'fatal',
      };
    }),
  );
}

const ANOTHER: Readonly<Record<ApprovalSource, string>> = {
  environment:
    'Start a new workflow run, or run all jobs again, and have a reviewer approve the environment once more.',
  label: 'Take the label off and have somebody with write access set it again.',
  'plan-file':
    'A plan on the branch allows one run of each commit: measure another commit, or merge another plan.',
};

/** The right exists and another run has it; `asked` says why GitHub gave no other. */
export function usedUp(uses: readonly Use[], asked: readonly Problem[]): RbError {
  return new RbError(EXIT.refused, [
    ...uses.slice(-SHOWN).map(({ reservation, state }): Problem => {
      const { approvalId, suite, runId, runUrl, reservedAt } = reservation;
      const source = SOURCES.find((each) => approvalId.startsWith(`${each} `)) ?? 'label';
      const silent = state === 'reserved' || state === 'running' || state === 'unknown';
      const how = silent
        ? 'which did not say how it ended; only a resume of it may go on'
        : state === 'interrupted'
          ? 'which was interrupted; only a resume of it may go on'
          : 'which used it up';
      return {
        code: 'RB379',
        where: `run of ${suite}`,
        message: `its approval belongs to run ${runId} since ${reservedAt}, ${how}.`,
        value: runUrl ?? approvalId,
        fix: `${state === 'settled' ? '' : `Go on with resume: ${runId}, or: `}${ANOTHER[source]}`,
        consequence: 'Nothing was queued.',
        severity: 'fatal',
      };
    }),
    ...asked,
  ]);
}
