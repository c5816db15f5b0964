import { type ApprovalNeed, approvalNeed } from '../../approval/need.ts';
import { MAX_RULES_BYTES, type OperatorRules, parseOperatorRules } from '../../approval/operator-rules.ts';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { errorCode } from '../../files/problems.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import type { Binding } from '../../model/approval.ts';
import type { Plan } from '../../model/plan.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { distHash } from '../../platform/dist-hash.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { readEvent } from '../read-event.ts';
import type { Environment } from '../verb.ts';

export interface PlannedRun {
  /** Absolute. */
  readonly workspace: string;
  readonly plan: Plan;
  readonly inputs: Inputs;
  readonly context: RunContext;
  readonly env: Environment;
}

/**
 * Whether this plan needs an approval here.
 * @throws RbError RB376 when the operator's rules cannot be read, RB381 when nothing is allowed that the input names.
 */
export async function needOf({ workspace, plan, inputs, context, env }: PlannedRun): Promise<ApprovalNeed> {
  const { relation, selfHosted } = forkGuard({ env, payload: await readEvent(env), operatorAllows: true });
  const operator = await operatorRules(workspace);
  const need = approvalNeed({
    purpose: plan.purpose,
    sessions: plan.cells.length,
    fork: selfHosted && (relation === 'fork' || relation === 'unknown'),
    inActions: context.kind === 'github',
    wish: inputs.approval,
    operator,
  });
  if (need.needed && need.sources.length === 0) throw notAllowed(inputs.approval, operator);
  return need;
}

/** Outside of any checkout, where only the operator of the host can put it. */
async function operatorRules(workspace: string): Promise<OperatorRules | null> {
  const file = hostFolder(workspace).approvalRules;
  try {
    return parseOperatorRules(await readTextCapped(file, MAX_RULES_BYTES), file);
  } catch (error) {
    if (error instanceof RbError && errorCode(error.cause) === 'ENOENT') return null;
    throw error;
  }
}

function notAllowed(wish: string, operator: OperatorRules | null): RbError {
  return new RbError(EXIT.refused, [
    {
      code: 'RB381',
      where: 'input approval',
      message: `the operator of the host takes no approval by ${wish}.`,
      value: wish,
      fix: `Use ${(operator?.sources ?? []).join(' or ')}.`,
      severity: 'fatal',
    },
  ]);
}

/** What an approval of this run is for. */
export async function bindingOf({ plan, inputs, context }: PlannedRun): Promise<Binding> {
  return {
    planDigest: planDigest(plan),
    headCommit: context.headCommit,
    policyRef: inputs.policyRef,
    checkpointDigest: inputs.checkpointDigest,
    imageDigest: inputs.imageDigest,
    distHash: await distHash(),
  };
}
