/** Documents of a fresh simulated workspace. With comments and hand-made layout, as people's own files have. Pure. */

export interface TemplateValues {
  readonly targetEndpoint: string;
  readonly policyEndpoint: string;
  readonly cameraSize: number;
  readonly maxSteps: number;
  readonly suite: string;
}

export const DUMMY_TARGET_ID = 'dummy_sim';
export const LIBERO_TARGET_ID = 'libero_real_remote';
export const DUMMY_SKILL_ID = 'openpi_sim_vla';
export const LIBERO_SKILL_ID = 'pi05_libero_remote';

export function targetsDocument(values: TemplateValues): string {
  return `# Runtime Targets

The targets of the simulated lab. Ask before you change somebody's entry.

\`\`\`yaml
version: runtime_target_registry_v1
targets:
${DUMMY_ENTRY}
${liberoEntry(values)}\`\`\`

Below the block is room for notes; the runtime does not read them.
`;
}

const DUMMY_ENTRY = `  # Answers at once and needs no simulator: for smoke tests.
  - id: ${DUMMY_TARGET_ID}
    target_class: local
    target_kind: simulation
    enabled: true
    workspace: workspaces/dummy_sim
    supported_skillruntimes:
      - ${DUMMY_SKILL_ID}
    runtime:
      target_runtime: DummySimTargetRuntime
      target_endpoint: null
      target_adapter: target_adapter://dummy_sim_adapter
      runtime_contract_ref: configs/runtime/contracts/dummy_sim.runtime.yaml
    observation:
      observation_type: multimodal
      empty_observation_allowed: false
    perception:
      enabled: false
      strict_preflight: true
    config:
      action_dim: 7
      success_after_steps: 5   # enough to see it move
      image_size: 16
      state_dim: 8
      action: {action_dim: 7, chunk_size: 4}
`;

function liberoEntry(values: TemplateValues): string {
  return `  # The benchmark simulator on this machine.
  - id: ${LIBERO_TARGET_ID}
    target_class: remote
    target_kind: simulation
    enabled: true
    workspace: workspaces/libero_real
    supported_skillruntimes:
      - ${LIBERO_SKILL_ID}
    runtime:
      target_runtime: LiberoRemoteTargetProxy
      target_endpoint: ${values.targetEndpoint}
      target_adapter: target_adapter://libero_adapter
      runtime_contract_ref: configs/runtime/contracts/libero_real.runtime.yaml
    observation:
      observation_type: multimodal
      empty_observation_allowed: false
    perception:
      enabled: false
      strict_preflight: true
    config:
      benchmark_name: ${values.suite}
      task_id: 0
      init_state_id: 0
      camera_height: ${values.cameraSize}
      camera_width: ${values.cameraSize}
      action_dim: 7
      max_chunk_size: 50
      max_steps: ${values.maxSteps}
      num_steps_wait: 10
      # Without this line chunks of more than four steps fail with ADAPTER.
      action: {action_dim: 7, max_chunk_size: 50}
`;
}

export function skillRuntimeDocument(): string {
  return `# Runtime Skills

\`\`\`yaml
version: runtime_skill_registry_v1
skillruntimes:
${skill({ id: DUMMY_SKILL_ID, kinds: ['simulation'], client: 'dummy', adapter: 'dummy_openpi_adapter', space: 'dummy_policy_delta_eef_gripper_v1' })}
${skill({ id: LIBERO_SKILL_ID, kinds: ['simulation', 'real_robot'], client: 'openpi', adapter: 'openpi_pi05_adapter', space: 'libero_pi05_delta_eef_gripper_v1' })}
\`\`\`
`;
}

function skill(values: {
  id: string;
  kinds: readonly string[];
  client: string;
  adapter: string;
  space: string;
}): string {
  return `  - id: ${values.id}
    runtime: OpenPISkillRuntime
    runtime_kind: policy
    loop_mode: policy_closed_loop
    agent_exposure: none
    supported_target_kinds: [${values.kinds.join(', ')}]
    policy:
      policy_client: ${values.client}
      policy_adapter: policy_adapter://${values.adapter}
      supports_chunk: true
    observation_contract:
      observation_type: multimodal
      empty_observation_allowed: false
    supports_chunk: true
    default_replan_every: 5
    requires:
      sensors: []
      environment_outputs: []
      strict_environment_contract: true
    output_contract:
      action:
        action_space_id: ${values.space}
        shape: [T, 7]
        dtype: float32
        normalized: false
        representation: delta_eef_pose_gripper
        frame: base
    adapter_requirements:
      allowed_bridges:
        - bridge://safety_clamp
      forbidden: []`;
}

export function contractFile(targetId: string, targetAdapter: string, actionId: string): string {
  return `version: runtime_target_contract_v1
target_id: ${targetId}
target_adapter: ${targetAdapter}
observation:
  schema_source: target.describe
  allow_extra_channels: true
  timestamp_required: false
action_contract:
  id: ${actionId}
  accepted_representations: [delta_eef_pose_gripper]
  shape: [T, 7]
  dtype: float32
  normalized: false
  frame: base
  control_mode: cartesian_delta_position
  control_hz: 20
  components:
    - {name: dx, unit: meter}
    - {name: dy, unit: meter}
    - {name: dz, unit: meter}
    - {name: droll, unit: rad}
    - {name: dpitch, unit: rad}
    - {name: dyaw, unit: rad}
    - {name: gripper, unit: normalized}
  chunk:
    max_chunk_size: 50
    preferred_chunk_size: 50
    switch_policy: hard_switch
safety:
  require_target_side_validation: true
  stop_on_nan: true
  stop_on_timeout: true
capabilities:
  available_bridges:
    - bridge://safety_clamp
`;
}

export function runtimeNotes(values: TemplateValues): string {
  return `# Runtime

A simulated runtime workspace: no robot, no GPU, nothing physical.

- simulator: \`${values.targetEndpoint}\`
- policy: \`${values.policyEndpoint}\`
`;
}

/** A queue without entries. */
export const EMPTY_SESSIONS = `# Runtime Sessions

\`\`\`yaml
version: runtime_sessions_v1
sessions: []
\`\`\`
`;
