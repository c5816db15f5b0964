import {
  type Approvers,
  forSource,
  involvedIn,
  NO_EXCEPTIONS,
  standingOf,
} from '../../approval/approvers.ts';
import { type ApprovalNeed, approvalNeed } from '../../approval/need.ts';
import { MAX_RULES_BYTES, type OperatorRules, parseOperatorRules } from '../../approval/operator-rules.ts';
import { canonicalDigest, canonicalJson } from '../../base/canonical-json.ts';
import { errorOf, type RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { isAbsent } from '../../files/problems.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { workspaceIdentity } from '../../lane/workspace-identity.ts';
import type { Approval, Binding, Role } from '../../model/approval.ts';
import type { Pin } from '../../model/pins.ts';
import type { Arm, Plan } from '../../model/plan.ts';
import type { Endpoints } from '../../plan/endpoints.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { distHash } from '../../platform/dist-hash.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { startOf } from '../prepare/policy-source.ts';
import { readEvent } from '../read-event.ts';
import type { Environment } from '../verb.ts';

/** What a record keeps of a text at most. */
const MAX_EXPECTATION = 400;

export interface PlannedRun {
  /** Absolute. */
  readonly workspace: string;
  readonly plan: Plan;
  /** All suites of the job, in their order. */
  readonly suites: readonly string[];
  readonly endpoints: Pick<Endpoints, 'policy' | 'target'>;
  /** What is observed of everything that a plan file pins. */
  readonly pins: () => Promise<readonly Pin[]>;
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
    wish: inputs.approval.wish,
    operator,
  });
  if (need.needed && need.sources.length === 0) throw notAllowed(inputs.approval.wish, operator);
  return need;
}

/**
 * Who has a part in this run, as far as its event and the runner tell, and whom the operator lets approve all the same.
 * @throws RbError RB376 when the operator's rules cannot be read.
 */
export async function approversOf({ workspace, inputs, env }: PlannedRun): Promise<Approvers> {
  const rules = await operatorRules(workspace);
  return {
    involved: involvedIn(env, await readEvent(env), inputs.approval.label),
    exceptions: rules?.mayApprove ?? NO_EXCEPTIONS,
  };
}

/**
 * Whether whoever gave an approval may have given it to this run: the one that read it may have been another one. Pure.
 */
export function mayBegin({ actor, reference }: Approval, approvers: Approvers): boolean {
  if (actor === null) return false;
  const those = forSource(reference.source, approvers);
  return standingOf({ login: actor, type: null }, those).refused === null;
}

/** Outside of any checkout, where only the operator of the host can put it. */
async function operatorRules(workspace: string): Promise<OperatorRules | null> {
  const file = hostFolder(workspace).approvalRules;
  try {
    return parseOperatorRules(await readTextCapped(file, MAX_RULES_BYTES), file);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function notAllowed(wish: string, operator: OperatorRules | null): RbError {
  return errorOf('RB381', {
    where: 'input approval',
    message: `the operator of the host takes no approval by ${wish}.`,
    value: wish,
    fix: `Use ${(operator?.sources ?? []).join(' or ')}.`,
  });
}

/**
 * What an approval of this run is for.
 * @throws RbError RB386 when the workspace has no identity that can be read
 */
export async function bindingOf(run: PlannedRun): Promise<Binding> {
  const { plan, inputs, context, suites } = run;
  const workspace = await workspaceIdentity(hostFolder(run.workspace));
  return {
    planDigest: planDigest(plan),
    headCommit: context.headCommit,
    policyRef: inputs.policyRef,
    checkpointDigest: inputs.digests.checkpoint,
    imageDigest: inputs.digests.image,
    distHash: await distHash(),
    expectPolicy: expectationText(inputs.expectPolicy),
    endpoints: endpointDigests(run, workspace),
    suites: [...suites],
    workspace,
  };
}

/** A long one by its digest alone. */
function expectationText(expected: Inputs['expectPolicy']): string | null {
  if (expected === null) return null;
  const text = canonicalJson(expected);
  return text.length <= MAX_EXPECTATION ? text : `sha256:${canonicalDigest(expected)}`;
}

/** With the identity of the workspace in them: the few addresses of a host could be found by trying. */
function endpointDigests(
  { plan, endpoints, inputs }: PlannedRun,
  workspace: string,
): Partial<Record<Role, string>> {
  const addresses: readonly (readonly [Role, string | null])[] = [
    ['candidate', startedAs(inputs, 'candidate') ?? endpoints.policy],
    ...(plan.arms.includes('baseline')
      ? [['baseline', startedAs(inputs, 'baseline') ?? inputs.baselineEndpoint] as const]
      : []),
    ['target', endpoints.target],
  ];
  return Object.fromEntries(
    addresses.flatMap(([role, address]) =>
      address === null ? [] : [[role, canonicalDigest([workspace, role, address])]],
    ),
  );
}

/** A policy that the run starts has another port each time; what starts it stands for its address. */
function startedAs(inputs: Inputs, arm: Arm): string | null {
  const start = startOf(inputs, arm);
  return start === null ? null : canonicalJson([start.command, start.directory, inputs.policyEnv]);
}
