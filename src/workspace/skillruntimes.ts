import { skillCapability } from './benchmark-shape.ts';
import { appliedDialect, type Reading } from './dialect.ts';
import { findDialect } from './find-dialect.ts';
import {
  checkList,
  duplicateProblems,
  type Entry,
  type ListDocument,
  type Parsed,
  readSource,
  type Source,
} from './runtime-document.ts';
import {
  absent,
  anyMapping,
  bool,
  choice,
  float,
  integer,
  listOf,
  mapping,
  maybe,
  optional,
  required,
  type ShapeOf,
  text,
} from './shape.ts';
import { observationContract, TARGET_KINDS, type TargetKind } from './targets.ts';

/** One skill runtime of SKILLRUNTIME.md, with the runtime's defaults filled in. */
export interface SkillRuntimeEntry {
  readonly id: string;
  readonly runtime: string;
  readonly kind: 'policy' | 'builtin';
  readonly supportedTargetKinds: readonly TargetKind[];
  /** Null for one that is not (or not fully) described as a policy. */
  readonly policyClient: string | null;
  readonly policyAdapter: string | null;
  /** The entry as it stands in the document. */
  readonly raw: Record<string, unknown>;
  /** Position in the document. */
  readonly index: number;
}

const policy = mapping(
  {
    policy_client: required(text()),
    policy_adapter: required(text()),
    supports_chunk: optional(bool(), () => false),
  },
  'ignore',
);

const toolPolicy = mapping(
  {
    expose: optional(listOf(text()), () => []),
    forbidden: optional(listOf(text()), () => []),
    require_tool_schema_validation: optional(bool(), () => true),
    require_action_validation: optional(bool(), () => true),
    require_target_side_validation: optional(bool(), () => true),
    require_operator_override_for_real_robot: optional(bool(), () => false),
    allow_reset_by_agent: optional(bool(), () => false),
    allow_close_by_agent: optional(bool(), () => false),
  },
  'ignore',
);

const requirements = mapping(
  {
    sensors: optional(listOf(text()), () => []),
    environment_outputs: optional(listOf(text()), () => []),
    object_queries_from_task: optional(bool(), () => false),
    min_confidence: maybe(float()),
    require_metric_geometry: optional(bool(), () => false),
    strict_environment_contract: optional(bool(), () => true),
  },
  'ignore',
);

const skillKeys = {
  id: required(text()),
  runtime: required(text()),
  runtime_kind: required(choice(['policy', 'builtin'])),
  loop_mode: required(text()),
  agent_exposure: optional(choice(['none', 'target_tools', 'constrained_target_tools']), () => 'none'),
  supported_target_kinds: required(listOf(choice(TARGET_KINDS))),
  policy: maybe(policy),
  observation_contract: absent(observationContract),
  target_tool_policy: maybe(toolPolicy),
  supports_chunk: optional(bool(), () => false),
  default_replan_every: optional(integer(), () => 1),
  input_contract: optional(anyMapping(), () => ({})),
  output_contract: optional(anyMapping(), () => ({})),
  adapter_requirements: optional(anyMapping(), () => ({})),
  requires: absent(requirements),
};
const skillRuntime = mapping(skillKeys, 'refuse');
const julySkillRuntime = mapping({ ...skillKeys, benchmark: maybe(skillCapability) }, 'refuse');

function kindFor(reading: Reading): ListDocument<ShapeOf<typeof skillRuntime>> {
  return {
    file: 'SKILLRUNTIME.md',
    version: 'runtime_skill_registry_v1',
    list: 'skillruntimes',
    id: 'id',
    entry: appliedDialect(reading) === 'july' ? julySkillRuntime : skillRuntime,
    reading,
  };
}

/**
 * Reads SKILLRUNTIME.md and says everything the runtime would refuse it for.
 * @param reading left out: as the document itself tells.
 */
export function parseSkillRuntimes(source: Source, reading?: Reading): Parsed<readonly SkillRuntimeEntry[]> {
  const read = readSource(source, 'SKILLRUNTIME.md');
  if ('problem' in read) return { document: null, problems: [read.problem] };
  const kind = kindFor(reading ?? findDialect({ skillruntimes: read.raw }));
  const parsed = checkList(read.raw, kind);
  if (parsed.document === null) return { document: null, problems: parsed.problems };
  const twins = duplicateProblems(parsed.document, kind, () => ({
    consequence: 'Sessions that mean this skill runtime run with the first one.',
    severity: 'warning',
    fix: 'Rename this skill runtime or remove it.',
  }));
  return { document: parsed.document.map(skillRuntimeEntry), problems: [...parsed.problems, ...twins] };
}

function skillRuntimeEntry({ value, raw, index }: Entry<ShapeOf<typeof skillRuntime>>): SkillRuntimeEntry {
  return {
    id: value.id,
    runtime: value.runtime,
    kind: value.runtime_kind,
    supportedTargetKinds: value.supported_target_kinds,
    policyClient: value.policy?.policy_client ?? null,
    policyAdapter: value.policy?.policy_adapter ?? null,
    raw,
    index,
  };
}
