import { dumpYaml } from '../../workspace/dump-yaml.ts';
import type { Kit } from './kits.ts';
import type { TargetSays } from './target-says.ts';

/** A file of the new workspace. */
export interface NewDocument {
  /** Below the workspace, with slashes. */
  readonly name: string;
  readonly content: string;
}

interface Setting {
  readonly kit: Kit;
  readonly says: TargetSays;
  readonly targetEndpoint: string;
  readonly policyEndpoint: string;
}

const CAMERA_PX = 256;
/** LIBERO's objects come to rest in steps without a policy at the start; a server that goes by the contract has its own. */
const LIBERO_SETTLE = 10;

/** All documents of a workspace for one target and one kind of policy; the contract first, the registry that names it last. */
export function workspaceDocuments(setting: Setting): readonly NewDocument[] {
  const { kit } = setting;
  return [
    { name: contractRef(kit), content: dumpYaml(contractOf(setting)) },
    {
      name: 'SESSIONS.md',
      content: page(
        'Sessions',
        'The queue: `rollout-bench run` adds entries, `rollout-bench host` runs them. Edit nothing while either is at work.',
        { version: 'runtime_sessions_v1', sessions: [] },
      ),
    },
    {
      name: 'SKILLRUNTIME.md',
      content: page('Skill runtimes', 'How a policy is asked, and what its actions are.', {
        version: 'runtime_skill_registry_v1',
        skillruntimes: [skillOf(setting)],
      }),
    },
    {
      name: 'TARGETS.md',
      content: page(
        'Targets',
        'The simulators. What stands in `config` is sent to the server with every episode; a benchmark adds task and initial state.',
        { version: 'runtime_target_registry_v1', targets: [targetOf(setting)] },
      ),
    },
  ];
}

function page(title: string, text: string, block: object): string {
  return `# ${title}\n\n${text}\n\n\`\`\`yaml\n${dumpYaml(block)}\`\`\`\n`;
}

function contractRef({ targetId }: Kit): string {
  return `configs/runtime/contracts/${targetId}.runtime.yaml`;
}

function targetOf({ kit, says, targetEndpoint, policyEndpoint }: Setting): object {
  const settle = kit.contractRules
    ? { num_steps_wait: 0 }
    : { camera_height: CAMERA_PX, camera_width: CAMERA_PX, num_steps_wait: LIBERO_SETTLE };
  return {
    id: kit.targetId,
    target_class: 'remote',
    target_kind: 'simulation',
    enabled: true,
    workspace: `workspaces/${kit.targetId}`,
    supported_skillruntimes: [kit.skillId],
    runtime: {
      target_runtime: kit.targetRuntime,
      target_endpoint: targetEndpoint,
      target_adapter: kit.targetAdapter,
      runtime_contract_ref: contractRef(kit),
    },
    observation: { observation_type: 'multimodal', empty_observation_allowed: false },
    config: {
      benchmark_name: says.suite,
      task_id: 0,
      init_state_id: 0,
      ...settle,
      max_steps: says.maxSteps,
      action_dim: says.width,
      max_chunk_size: says.maxChunkSize,
      action: { action_dim: says.width, max_chunk_size: says.maxChunkSize },
      policy_endpoint: policyEndpoint,
    },
  };
}

function skillOf({ kit, says: { action, width } }: Setting): object {
  return {
    id: kit.skillId,
    runtime: 'OpenPISkillRuntime',
    runtime_kind: 'policy',
    loop_mode: 'policy_closed_loop',
    agent_exposure: 'none',
    supported_target_kinds: ['simulation'],
    policy: { policy_client: 'openpi', policy_adapter: kit.policyAdapter, supports_chunk: true },
    observation_contract: { observation_type: 'multimodal', empty_observation_allowed: false },
    supports_chunk: true,
    default_replan_every: 5,
    requires: { sensors: [], environment_outputs: [], strict_environment_contract: true },
    output_contract: {
      action: {
        action_space_id: action.id,
        shape: ['T', width],
        dtype: action.dtype,
        normalized: action.normalized,
        representation: action.representation,
        frame: action.frame,
      },
    },
    adapter_requirements: { allowed_bridges: ['bridge://safety_clamp'], forbidden: [] },
  };
}

function contractOf({ kit, says }: Setting): object {
  const { action, width, channels, maxChunkSize } = says;
  const observation = kit.contractRules
    ? { channels }
    : { schema_source: 'target.describe', allow_extra_channels: true, timestamp_required: false };
  return {
    version: 'runtime_target_contract_v1',
    target_id: kit.targetId,
    target_adapter: kit.targetAdapter,
    observation,
    action_contract: {
      id: action.id,
      accepted_representations: [action.representation],
      shape: ['T', width],
      dtype: action.dtype,
      normalized: action.normalized,
      frame: action.frame,
      control_mode: action.control_mode,
      control_hz: action.control_hz,
      components: action.components,
      chunk: {
        max_chunk_size: maxChunkSize,
        preferred_chunk_size: maxChunkSize,
        switch_policy: 'hard_switch',
      },
    },
    safety: { require_target_side_validation: true, stop_on_nan: true, stop_on_timeout: true },
    capabilities: { available_bridges: ['bridge://safety_clamp'] },
  };
}
