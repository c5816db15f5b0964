import { observedPins } from '../prepare/observed-pins.ts';
import { policyDigest } from '../prepare/policies.ts';
import type { Authority, AuthorityRequest } from './authority.ts';
import { relyOnQualification } from './rely-on-qualification.ts';
import { selectionOf } from './selection.ts';
import { takeApproval } from './take-approval.ts';

/**
 * Asked once for each suite, after its plan is known and before anything of it is queued.
 * @throws RbError (exit 3) when the run may not begin; nothing of it was queued then.
 */
export async function authorize(request: AuthorityRequest): Promise<Authority> {
  const { host, verb, plan, inputs, log, heldOutPlan } = request;
  const plans = heldOutPlan === null ? [plan] : [plan, heldOutPlan];
  const { selectedFrom } = inputs;
  const selection = await selectionOf({ selectedFrom, workspace: host.workspace, plans, log });
  const qualified = await relyOnQualification(request);
  // Last: what refuses a run must not cost its approval.
  const { workspace, endpoints } = host;
  const policies = Object.fromEntries(request.policies.map((each) => [each.arm, policyDigest(each)]));
  const pins = () => observedPins(request);
  const approval = await takeApproval({ ...request, workspace, endpoints, pins, policies, env: verb.env });
  return {
    facts: {
      ...qualified.facts,
      ...(approval.fact === null ? {} : { approval: approval.fact }),
      ...(selection.fact === undefined ? {} : { selection: selection.fact }),
    },
    documents: [...qualified.documents, ...approval.documents],
    selectedToo: selection.hidden,
    reservation: approval.reservation,
  };
}
