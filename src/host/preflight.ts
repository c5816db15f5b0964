import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ZodError } from 'zod';
import { ACTION_BRIDGES, POLICY_ADAPTERS, TARGET_ADAPTERS } from './adapters.ts';
import { parsePolicyEndpoint } from './policy-client.ts';
import { pythonRepr, RuntimeFailure, WatchdogCrash } from './python-error.ts';
import { type Contract, parseContract, type SkillRuntime, type Target } from './registry-schema.ts';
import { readText, readYaml } from './runtime-document.ts';
import type { Session } from './session-schema.ts';
import { asMap } from './wire.ts';

export interface Scheduled {
  readonly session: Session;
  readonly target: Target;
  readonly skill: SkillRuntime;
}

export interface MissingItem {
  readonly code: string;
  readonly field: string;
  readonly expected: string;
  readonly found?: string;
  readonly triggered_by: string;
  readonly fix: string;
}

export interface AdapterPlan {
  readonly target_adapter: string;
  readonly policy_adapter?: string;
  readonly observation_path: readonly string[];
  readonly action_path: readonly string[];
  readonly action_bridges: readonly string[];
  readonly validation_mode: 'strict';
}

export interface PreflightReport {
  readonly plan: AdapterPlan;
  readonly missing: readonly MissingItem[];
  /** As it is written into the session, nulls left out. */
  readonly report: Readonly<Record<string, unknown>>;
}

/** The first checks; each failure is a rejection without a preflight report (SCHEMA_VALIDATION). */
export function checkHealth({ session, skill }: Scheduled): void {
  const problems = [timeoutProblem(session), executionProblem(session), endpointProblem(session, skill)];
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new RuntimeFailure('SCHEMA_VALIDATION', found.join('; '));
}

function timeoutProblem(session: Session): string | null {
  const bad = Object.entries(session.timeouts).filter(([, value]) => value.value <= 0);
  return bad.length === 0
    ? null
    : `timeouts: non-positive timeout fields: ${bad.map(([name]) => name).join(', ')}`;
}

function executionProblem({ execution }: Session): string | null {
  if (execution.max_steps <= 0) return 'execution: max_steps must be positive';
  return (execution.replan_every_steps || execution.replan_every) <= 0
    ? 'execution: replan_every must be positive'
    : null;
}

function endpointProblem(session: Session, skill: SkillRuntime): string | null {
  if (skill.runtime_kind !== 'policy') return null;
  const endpoint = session.routing.policy_endpoint;
  if (endpoint === null || endpoint === '')
    return 'policy_endpoint: policy_endpoint is required for policy skills';
  try {
    parsePolicyEndpoint(endpoint);
    return null;
  } catch (error) {
    return `policy_endpoint: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The compatibility checks of the preflight, all of them, with the report that goes into the session. */
export function runPreflight(scheduled: Scheduled, workspace: string): PreflightReport {
  const { session, target, skill } = scheduled;
  const missing: MissingItem[] = [];
  const warnings: string[] = [];
  const miss = (code: string, field: string, expected: string, found: string | null, fix: string): void => {
    missing.push({
      code,
      field,
      expected,
      ...(found === null ? {} : { found }),
      triggered_by: session.session_id,
      fix,
    });
  };
  checkTarget(scheduled, miss, warnings);
  const contract = loadContract(target, workspace, miss);
  if (skill.runtime !== 'OpenPISkillRuntime') {
    miss(
      'SKILL_RUNTIME_MISSING',
      'SKILLRUNTIME.md skillruntimes[].runtime',
      'registered runtime',
      `unsupported skill runtime: ${skill.runtime}`,
      'Register the skill runtime.',
    );
  }
  const policyAdapter = skill.runtime_kind === 'policy' ? (skill.policy?.policy_adapter ?? null) : null;
  if (skill.runtime_kind === 'policy' && policyAdapter === null) {
    miss(
      'POLICY_INPUT_CONTRACT_UNSATISFIED',
      'SKILLRUNTIME.md skillruntimes[].policy.policy_adapter',
      'policy adapter URI',
      null,
      'Set policy.policy_adapter for policy skills.',
    );
  }
  const plan = adapterPlan(scheduled, contract, policyAdapter);
  checkPlan(plan, miss);
  if (contract !== null) checkActionContract(skill, contract, miss);
  const isAccepted = missing.length === 0;
  const report = {
    verdict: isAccepted ? 'accepted' : 'rejected',
    session_id: session.session_id,
    target_id: target.id,
    skillruntime_id: skill.id,
    runner_type: 'SessionRunner',
    skill_runtime_kind: skill.runtime_kind,
    execution_mode: skill.loop_mode,
    ...(isAccepted ? { adapter_plan: plan } : {}),
    missing_items: missing,
    warnings,
  };
  return { plan, missing, report };
}

/** One line for all missing items, as it becomes `error_message`. */
export function missingText(missing: readonly MissingItem[]): string {
  const line = (item: MissingItem): string =>
    `${item.code}: ${item.field} expected ${item.expected}${item.found === undefined ? '' : `, found ${item.found}`}`;
  return missing.map(line).join('; ');
}

type Miss = (code: string, field: string, expected: string, found: string | null, fix: string) => void;

function checkTarget({ session, target }: Scheduled, miss: Miss, warnings: string[]): void {
  if (!target.enabled) {
    miss('TARGET_DISABLED', 'TARGETS.md targets[].enabled', 'true', 'False', 'Enable the target.');
  }
  const endpoint = session.routing.target_endpoint || target.runtime.target_endpoint;
  if (target.target_class === 'remote' && !/^targetws:/i.test(endpoint ?? '')) {
    const fix = 'Set a targetws:// endpoint for remote targets.';
    miss(
      'TARGET_ENDPOINT_INVALID',
      'TARGETS.md targets[].runtime.target_endpoint',
      'targetws:// endpoint',
      endpoint,
      fix,
    );
  }
  if (target.target_class === 'local' && endpoint) {
    warnings.push('local target ignores routing.target_endpoint/runtime.target_endpoint');
  }
}

function loadContract(target: Target, workspace: string, miss: Miss): Contract | null {
  const ref = target.runtime.runtime_contract_ref;
  const path = isAbsolute(ref) ? ref : join(workspace, ref);
  if (!existsSync(path)) {
    const fix = 'Create configs/runtime/contracts/<target_id>.runtime.yaml.';
    miss('TARGET_RUNTIME_CONTRACT_MISSING', ref, 'readable runtime contract', null, fix);
    return null;
  }
  try {
    const contract = parseContract(readYaml(readText(path, ref)) ?? {});
    const invalid = 'TARGET_RUNTIME_CONTRACT_INVALID';
    if (contract.target_id !== target.id) {
      miss(invalid, ref, target.id, contract.target_id, 'Use a contract with matching target_id.');
    }
    if (contract.target_adapter !== target.runtime.target_adapter) {
      const fix = 'Align contract target_adapter with TARGETS.md.';
      miss(invalid, `${ref} target_adapter`, target.runtime.target_adapter, contract.target_adapter, fix);
    }
    return contract;
  } catch (error) {
    if (!(error instanceof ZodError || error instanceof WatchdogCrash)) throw error;
    miss(
      'TARGET_ACTION_CONTRACT_INVALID',
      ref,
      'valid runtime_target_contract_v1',
      error.message,
      'Fix runtime contract YAML.',
    );
    return null;
  }
}

function adapterPlan(
  { session, target, skill }: Scheduled,
  contract: Contract | null,
  fromSkill: string | null,
): AdapterPlan {
  const overrides =
    session.routing.adapter_resolution === 'strict_override' ? session.routing.adapter_overrides : null;
  const isOverridden = overrides !== null && Object.keys(overrides).length > 0;
  const named = isOverridden ? overrides : {};
  const policyAdapter = fromSkill === null ? null : String(named['policy_adapter'] ?? fromSkill);
  const bridges = isOverridden ? texts(named['action_bridges']) : resolveBridges(skill, contract);
  return {
    target_adapter: String(named['target_adapter'] ?? target.runtime.target_adapter),
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

function checkPlan(plan: AdapterPlan, miss: Miss): void {
  if (!TARGET_ADAPTERS.has(plan.target_adapter)) {
    const found = `unsupported target adapter: ${plan.target_adapter}`;
    miss(
      'ACTION_BRIDGE_MISSING',
      'adapter_plan.target_adapter',
      'registered target adapter',
      found,
      'Register the target adapter.',
    );
  }
  if (plan.policy_adapter !== undefined && !POLICY_ADAPTERS.has(plan.policy_adapter)) {
    const found = `unsupported policy adapter: ${plan.policy_adapter}`;
    miss(
      'POLICY_INPUT_CONTRACT_UNSATISFIED',
      'adapter_plan.policy_adapter',
      'registered policy adapter',
      found,
      'Register the policy adapter.',
    );
  }
  for (const bridge of plan.action_bridges.filter((each) => !ACTION_BRIDGES.has(each))) {
    const found = `unsupported action bridge: ${bridge}`;
    miss(
      'ACTION_BRIDGE_MISSING',
      'adapter_plan.action_bridges',
      'registered action bridge',
      found,
      'Register the bridge.',
    );
  }
}

function checkActionContract(skill: SkillRuntime, contract: Contract, miss: Miss): void {
  const action = asMap(skill.output_contract['action']);
  if (action === null || Object.keys(action).length === 0) return;
  const accepted = contract.action_contract.accepted_representations;
  const representation = action['representation'];
  if (typeof representation === 'string' && representation !== '' && !accepted.includes(representation)) {
    const expected = `one of [${accepted.map(pythonRepr).join(', ')}]`;
    const fix = 'Add an explicit bridge or choose a compatible target.';
    miss(
      'ACTION_CONTRACT_UNSATISFIED',
      'SKILLRUNTIME.md output_contract.action.representation',
      expected,
      representation,
      fix,
    );
  }
  const shape = action['shape'];
  const [ours, theirs] = [
    Array.isArray(shape) && shape.length === 2 ? shape[1] : null,
    contract.action_contract.shape[1],
  ];
  if (typeof ours === 'number' && typeof theirs === 'number' && ours !== theirs) {
    const listed = (value: readonly unknown[]): string => `[${value.map(pythonRepr).join(', ')}]`;
    const fix = 'Declare an explicit component mapping; implicit truncation is forbidden.';
    const found = listed(Array.isArray(shape) ? shape : []);
    miss(
      'ACTION_CONTRACT_UNSATISFIED',
      'SKILLRUNTIME.md output_contract.action.shape',
      listed(contract.action_contract.shape),
      found,
      fix,
    );
  }
}
