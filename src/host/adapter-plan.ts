import { ACTION_BRIDGES, POLICY_ADAPTERS, TARGET_ADAPTERS } from './adapters.ts';
import { pythonRepr } from './python-error.ts';
import type { Contract, SkillRuntime, Target } from './registry-schema.ts';
import type { Session } from './session-schema.ts';
import { asMap } from './wire.ts';

/** How a policy's actions reach the target, decided in the preflight. Pure. */

export interface Scheduled {
  readonly session: Session;
  readonly target: Target;
  readonly skill: SkillRuntime;
}

export interface AdapterPlan {
  readonly target_adapter: string;
  readonly policy_adapter?: string;
  readonly observation_path: readonly string[];
  readonly action_path: readonly string[];
  readonly action_bridges: readonly string[];
  readonly validation_mode: 'strict';
}

/** Something the preflight misses; `found` stays out of the report when there is nothing to show. */
interface Missing {
  readonly code: string;
  readonly field: string;
  readonly expected: string;
  readonly found: string | null;
  readonly fix: string;
}

export type Miss = (missing: Missing) => void;

/** The plan for a session; `fromSkill` is the policy adapter its skill runtime names. */
export function adapterPlan(
  { session, target, skill }: Scheduled,
  contract: Contract | null,
  fromSkill: string | null,
): AdapterPlan {
  const isStrict = session.routing.adapter_resolution === 'strict_override';
  const overrides = (isStrict ? session.routing.adapter_overrides : null) ?? {};
  // An override without bridges means no bridges at all, not even the clamp.
  const bridges =
    Object.keys(overrides).length > 0 ? texts(overrides['action_bridges']) : resolveBridges(skill, contract);
  const policyAdapter = fromSkill === null ? null : String(overrides['policy_adapter'] ?? fromSkill);
  return {
    target_adapter: String(overrides['target_adapter'] ?? target.runtime.target_adapter),
    ...(policyAdapter === null ? {} : { policy_adapter: policyAdapter }),
    observation_path: [
      'target.raw_observation',
      'TargetAdapter.to_runtime_observation',
      policyAdapter === null ? 'skill.input' : 'PolicyAdapter.to_policy_input',
    ],
    action_path: [
      policyAdapter === null ? 'skill.output' : 'PolicyAdapter.from_policy_output',
      ...bridges,
      'TargetAdapter.to_executable_action_chunk',
    ],
    action_bridges: bridges,
    validation_mode: 'strict',
  };
}

function resolveBridges(skill: SkillRuntime, contract: Contract | null): string[] {
  const available = texts(contract?.capabilities['available_bridges']);
  const allowed = texts(skill.adapter_requirements['allowed_bridges']);
  const bridges = allowed.filter((bridge) => available.length === 0 || available.includes(bridge));
  return bridges.includes('bridge://safety_clamp') ? bridges : [...bridges, 'bridge://safety_clamp'];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Names every part of the plan the runtime does not have; `more` are adapters beside the original's. */
export function checkPlan(plan: AdapterPlan, miss: Miss, more: ReadonlySet<string>): void {
  if (!TARGET_ADAPTERS.has(plan.target_adapter) && !more.has(plan.target_adapter)) {
    miss({
      code: 'ACTION_BRIDGE_MISSING',
      field: 'adapter_plan.target_adapter',
      expected: 'registered target adapter',
      found: `unsupported target adapter: ${plan.target_adapter}`,
      fix: 'Register the target adapter.',
    });
  }
  const policy = plan.policy_adapter;
  if (policy !== undefined && !POLICY_ADAPTERS.has(policy) && !more.has(policy)) {
    miss({
      code: 'POLICY_INPUT_CONTRACT_UNSATISFIED',
      field: 'adapter_plan.policy_adapter',
      expected: 'registered policy adapter',
      found: `unsupported policy adapter: ${policy}`,
      fix: 'Register the policy adapter.',
    });
  }
  for (const bridge of plan.action_bridges.filter((each) => !ACTION_BRIDGES.has(each))) {
    miss({
      code: 'ACTION_BRIDGE_MISSING',
      field: 'adapter_plan.action_bridges',
      expected: 'registered action bridge',
      found: `unsupported action bridge: ${bridge}`,
      fix: 'Register the bridge.',
    });
  }
}

/** Compares what the policy says it produces with what the target's contract accepts. */
export function checkActionContract(skill: SkillRuntime, contract: Contract, miss: Miss): void {
  const action = asMap(skill.output_contract['action']);
  if (action === null || Object.keys(action).length === 0) return;
  const code = 'ACTION_CONTRACT_UNSATISFIED';
  const { accepted_representations: accepted, shape: targetShape } = contract.action_contract;
  const representation = action['representation'];
  if (typeof representation === 'string' && representation !== '' && !accepted.includes(representation)) {
    miss({
      code,
      field: 'SKILLRUNTIME.md output_contract.action.representation',
      expected: `one of ${listText(accepted)}`,
      found: representation,
      fix: 'Add an explicit bridge or choose a compatible target.',
    });
  }
  const shape = Array.isArray(action['shape']) && action['shape'].length === 2 ? action['shape'] : [];
  const [ours, theirs] = [shape[1], targetShape[1]];
  if (typeof ours === 'number' && typeof theirs === 'number' && ours !== theirs) {
    miss({
      code,
      field: 'SKILLRUNTIME.md output_contract.action.shape',
      expected: listText(targetShape),
      found: listText(shape),
      fix: 'Declare an explicit component mapping; implicit truncation is forbidden.',
    });
  }
}

function listText(values: readonly unknown[]): string {
  return `[${values.map(pythonRepr).join(', ')}]`;
}
