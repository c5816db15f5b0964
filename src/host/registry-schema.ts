import * as z from 'zod';
import { bool, type FreeMap, float, freeMap, integer, optional, text } from './loose-values.ts';

/** TARGETS.md, SKILLRUNTIME.md and contract files, as strict as the runtime is with them. */

const kind = z.enum(['game', 'debug', 'simulation', 'real_robot']);
const observationType = z.enum([
  'empty',
  'structured',
  'visual',
  'proprioceptive',
  'multimodal',
  'environment_only',
]);

const observation = z.object({
  observation_type: observationType.default('multimodal'),
  empty_observation_allowed: bool.default(false),
  empty_observation_semantics: optional(text),
});

const target = z.strictObject({
  id: text,
  target_class: z.enum(['local', 'remote']),
  target_kind: kind,
  embodiment: optional(text),
  enabled: bool.default(true),
  workspace: text,
  supported_skillruntimes: z.array(text).default(() => []),
  runtime: z.object({
    target_runtime: text,
    target_endpoint: optional(text),
    target_adapter: text,
    runtime_contract_ref: text,
  }),
  observation: observation.prefault({}),
  perception: z
    .object({
      enabled: bool.default(false),
      strict_preflight: z.literal(true).default(true),
      sensor_config_ref: optional(text),
      perception_config_ref: optional(text),
      artifact_dir: optional(text),
      config_version: optional(text),
    })
    .prefault({}),
  config: freeMap.default(() => ({})),
});
export type Target = z.output<typeof target>;

const skillruntime = z.strictObject({
  id: text,
  runtime: text,
  runtime_kind: z.enum(['policy', 'builtin']),
  loop_mode: text,
  agent_exposure: z.enum(['none', 'target_tools', 'constrained_target_tools']).default('none'),
  supported_target_kinds: z.array(kind),
  policy: optional(
    z.object({ policy_client: text, policy_adapter: text, supports_chunk: bool.default(false) }),
  ),
  observation_contract: observation.prefault({}),
  target_tool_policy: optional(freeMap),
  supports_chunk: bool.default(false),
  default_replan_every: integer.default(1),
  input_contract: freeMap.default(() => ({})),
  output_contract: freeMap.default(() => ({})),
  adapter_requirements: freeMap.default(() => ({})),
  requires: z
    .object({
      sensors: z.array(text).default(() => []),
      environment_outputs: z.array(text).default(() => []),
      strict_environment_contract: bool.default(true),
    })
    .prefault({}),
});
export type SkillRuntime = z.output<typeof skillruntime>;

const contract = z.object({
  version: z.literal('runtime_target_contract_v1').default('runtime_target_contract_v1'),
  target_id: text,
  target_adapter: text,
  observation: freeMap.default(() => ({})),
  action_contract: z.object({
    id: text,
    accepted_representations: z.array(text),
    shape: z.array(z.union([z.int(), text])),
    dtype: text,
    normalized: bool,
    frame: text,
    control_mode: text,
    control_hz: float,
    components: z.array(z.object({ name: text, unit: optional(text) })).default(() => []),
    chunk: freeMap.default(() => ({})),
  }),
  safety: z.object({
    require_target_side_validation: z.literal(true).default(true),
    stop_on_nan: z.literal(true).default(true),
    stop_on_timeout: z.literal(true).default(true),
  }),
  capabilities: freeMap.default(() => ({})),
});
export type Contract = z.output<typeof contract>;

const targets = z.object({
  version: z.literal('runtime_target_registry_v1').default('runtime_target_registry_v1'),
  targets: z.array(target).default(() => []),
});
const skillruntimes = z.object({
  version: z.literal('runtime_skill_registry_v1').default('runtime_skill_registry_v1'),
  skillruntimes: z.array(skillruntime).default(() => []),
});

/** Each throws zod's error where the runtime refuses the document. */
export function parseTargets(block: FreeMap): Target[] {
  return targets.parse(block).targets;
}

export function parseSkillRuntimes(block: FreeMap): SkillRuntime[] {
  return skillruntimes.parse(block).skillruntimes;
}

export function parseContract(payload: unknown): Contract {
  return contract.parse(payload);
}
