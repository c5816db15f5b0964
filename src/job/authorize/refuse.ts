import { type Approvers, forSource, standingOf } from '../../approval/approvers.ts';
import type { ApprovalLedger } from '../../approval/ledger.ts';
import type { ApprovalNeed } from '../../approval/need.ts';
import type { ApprovalBook } from '../../approval/uses.ts';
import { EXIT, errorOf, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { differencesText, planDifferences } from '../../inputs/plan-differences.ts';
import { type Approval, type Binding, bindingDifferences } from '../../model/approval.ts';
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
  readonly approvers: Approvers;
}

/** Why a run without any approval that fits it may not begin: none at all, or one for something else. */
export async function notApproved(refused: Refused): Promise<RbError> {
  const { need, asked, suite } = refused;
  const others = await forAnotherPlan(refused);
  const none: Problem = problemOf('RB377', {
    where: `run of ${suite}`,
    message: `it needs an approval (${need.why}), and there is none for it on this host.`,
    fix: `Have it approved by ${need.sources.join(' or ')}, then run \`mode: approve\` with the same inputs in a step before, or \`mode: all\`; docs/approval.md shows how.`,
    consequence: 'Nothing was queued.',
  });
  return new RbError(EXIT.refused, [...(others.length > 0 ? others : [none]), ...asked]);
}

/** Unused approvals of the same suite, newest first, and what differs. */
async function forAnotherPlan(refused: Refused): Promise<Problem[]> {
  const { plan, suite, binding, ledger, book } = refused;
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
      if (differences.length === 0) return byNobodyElse(approval, refused);
      return problemOf('RB378', {
        where: `run of ${suite}`,
        message: `the approval is for another plan: ${differencesText(differences)}.`,
        value: approval.url,
        fix: 'Run what was approved, or have this approved.',
        consequence: 'Nothing was queued.',
      });
    }),
  );
}

/** It fits, and this run cannot have it from whoever gave it. */
function byNobodyElse({ actor, url, reference }: Approval, { suite, approvers }: Refused): Problem {
  const those = forSource(reference.source, approvers);
  const why = actor === null ? null : standingOf({ login: actor, type: null }, those).refused;
  return problemOf('RB385', {
    where: `run of ${suite}`,
    message: `its approval was given by ${why ?? 'nobody whom GitHub names'}.`,
    value: url,
    fix: 'Let another person approve this run. The operator of the host may allow an account by name under may-approve in .host/approval.yml.',
    consequence: 'Nothing was queued.',
  });
}

/** Its continuation, too, is of the policy that was met when the right was taken. */
export function otherPolicies(suite: string, differences: readonly string[]): RbError {
  return errorOf('RB378', {
    where: `run of ${suite}`,
    message: `the approval is for another policy: ${differencesText(differences)}.`,
    fix: 'Serve the policy that the run began with, or have this one approved.',
    consequence: 'Nothing was queued.',
  });
}
