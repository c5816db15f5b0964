import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ZodError } from 'zod';
import {
  type AdapterPlan,
  adapterPlan,
  checkActionContract,
  checkPlan,
  type Miss,
  type Scheduled,
} from './adapter-plan.ts';
import { CONTRACT_TARGET_ADAPTER, contractGap } from './contract-adapter.ts';
import { parsePolicyEndpoint } from './policy-client.ts';
import { RuntimeFailure, WatchdogCrash } from './python-error.ts';
import { type Contract, parseContract, type SkillRuntime, type Target } from './registry-schema.ts';
import { readText, readYaml } from './runtime-document.ts';
import type { Session } from './session-schema.ts';

/** One item of a rejection, as it is written into session and LESSONS.md. */
interface MissingItem {
  readonly code: string;
  readonly field: string;
  readonly expected: string;
  readonly found?: string;
  readonly triggered_by: string;
  readonly fix: string;
}

export interface PreflightReport {
  readonly plan: AdapterPlan;
  /** Null when there is none that can be read. */
  readonly contract: Contract | null;
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
export function runPreflight(
  scheduled: Scheduled,
  workspace: string,
  moreAdapters: ReadonlySet<string> = new Set(),
): PreflightReport {
  const { session, target, skill } = scheduled;
  const missing: MissingItem[] = [];
  const miss: Miss = ({ code, field, expected, found, fix }) => {
    const seen = found === null ? {} : { found };
    missing.push({ code, field, expected, ...seen, triggered_by: session.session_id, fix });
  };
  const warnings = checkTarget(scheduled, miss);
  const contract = loadContract(target, workspace, miss);
  const policyAdapter = checkSkill(skill, miss);
  const plan = adapterPlan(scheduled, contract, policyAdapter);
  checkPlan(plan, miss, moreAdapters);
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
  return { plan, contract, missing, report };
}

/** One line for all missing items, as it becomes `error_message`. */
export function missingText(missing: readonly MissingItem[]): string {
  const line = (item: MissingItem): string =>
    `${item.code}: ${item.field} expected ${item.expected}${item.found === undefined ? '' : `, found ${item.found}`}`;
  return missing.map(line).join('; ');
}

/** Checks the target; the answer is the warnings. */
function checkTarget({ session, target }: Scheduled, miss: Miss): string[] {
  if (!target.enabled) {
    const field = 'TARGETS.md targets[].enabled';
    miss({ code: 'TARGET_DISABLED', field, expected: 'true', found: 'False', fix: 'Enable the target.' });
  }
  const endpoint = session.routing.target_endpoint || target.runtime.target_endpoint;
  if (target.target_class === 'remote' && !/^targetws:/i.test(endpoint ?? '')) {
    miss({
      code: 'TARGET_ENDPOINT_INVALID',
      field: 'TARGETS.md targets[].runtime.target_endpoint',
      expected: 'targetws:// endpoint',
      found: endpoint,
      fix: 'Set a targetws:// endpoint for remote targets.',
    });
  }
  if (target.target_class !== 'local' || !endpoint) return [];
  return ['local target ignores routing.target_endpoint/runtime.target_endpoint'];
}

/** Checks the skill runtime; the answer is its policy adapter, null when it has none. */
function checkSkill(skill: SkillRuntime, miss: Miss): string | null {
  if (skill.runtime !== 'OpenPISkillRuntime') {
    miss({
      code: 'SKILL_RUNTIME_MISSING',
      field: 'SKILLRUNTIME.md skillruntimes[].runtime',
      expected: 'registered runtime',
      found: `unsupported skill runtime: ${skill.runtime}`,
      fix: 'Register the skill runtime.',
    });
  }
  if (skill.runtime_kind !== 'policy') return null;
  const adapter = skill.policy?.policy_adapter ?? null;
  if (adapter === null) {
    miss({
      code: 'POLICY_INPUT_CONTRACT_UNSATISFIED',
      field: 'SKILLRUNTIME.md skillruntimes[].policy.policy_adapter',
      expected: 'policy adapter URI',
      found: null,
      fix: 'Set policy.policy_adapter for policy skills.',
    });
  }
  return adapter;
}

function loadContract(target: Target, workspace: string, miss: Miss): Contract | null {
  const ref = target.runtime.runtime_contract_ref;
  const path = isAbsolute(ref) ? ref : join(workspace, ref);
  if (!existsSync(path)) {
    const fix = 'Create configs/runtime/contracts/<target_id>.runtime.yaml.';
    const code = 'TARGET_RUNTIME_CONTRACT_MISSING';
    miss({ code, field: ref, expected: 'readable runtime contract', found: null, fix });
    return null;
  }
  try {
    const contract = parseContract(readYaml(readText(path, ref)) ?? {});
    matchContract(target, contract, miss);
    return contract;
  } catch (error) {
    if (!(error instanceof ZodError || error instanceof WatchdogCrash)) throw error;
    const expected = 'valid runtime_target_contract_v1';
    const fix = 'Fix runtime contract YAML.';
    miss({ code: 'TARGET_ACTION_CONTRACT_INVALID', field: ref, expected, found: error.message, fix });
    return null;
  }
}

function matchContract(target: Target, contract: Contract, miss: Miss): void {
  const gap = target.runtime.target_adapter === CONTRACT_TARGET_ADAPTER ? contractGap(contract) : null;
  if (gap !== null) {
    const fix = 'Write what the target describes into its contract.';
    const field = target.runtime.runtime_contract_ref;
    miss({ code: 'TARGET_ACTION_CONTRACT_INVALID', field, expected: gap, found: null, fix });
  }
  const code = 'TARGET_RUNTIME_CONTRACT_INVALID';
  const { runtime_contract_ref: ref, target_adapter: adapter } = target.runtime;
  if (contract.target_id !== target.id) {
    const fix = 'Use a contract with matching target_id.';
    miss({ code, field: ref, expected: target.id, found: contract.target_id, fix });
  }
  if (contract.target_adapter !== adapter) {
    const fix = 'Align contract target_adapter with TARGETS.md.';
    miss({ code, field: `${ref} target_adapter`, expected: adapter, found: contract.target_adapter, fix });
  }
}
