import { targetCapability } from './benchmark-shape.ts';
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
  listOf,
  mapping,
  maybe,
  optional,
  required,
  type ShapeOf,
  text,
} from './shape.ts';

export type TargetKind = 'game' | 'debug' | 'simulation' | 'real_robot';
export const TARGET_KINDS = ['game', 'debug', 'simulation', 'real_robot'] as const;

/** One target of TARGETS.md, with the runtime's defaults filled in. */
export interface TargetEntry {
  readonly id: string;
  readonly targetClass: 'local' | 'remote';
  readonly targetKind: TargetKind;
  readonly enabled: boolean;
  readonly workspace: string;
  readonly supportedSkillruntimes: readonly string[];
  readonly targetRuntime: string;
  readonly targetEndpoint: string | null;
  readonly targetAdapter: string;
  /** As written; relative to the workspace unless absolute. */
  readonly contractRef: string;
  readonly config: Record<string, unknown>;
  /** The entry as it stands in the document. */
  readonly raw: Record<string, unknown>;
  /** Position in the document. */
  readonly index: number;
}

const observationTypes = [
  'empty',
  'structured',
  'visual',
  'proprioceptive',
  'multimodal',
  'environment_only',
] as const;

export const observationContract = mapping(
  {
    observation_type: optional(choice(observationTypes), () => 'multimodal'),
    empty_observation_allowed: optional(bool(), () => false),
    empty_observation_semantics: maybe(text()),
  },
  'ignore',
);

const perception = mapping(
  {
    enabled: optional(bool(), () => false),
    strict_preflight: optional(choice([true]), () => true),
    sensor_config_ref: maybe(text()),
    perception_config_ref: maybe(text()),
    artifact_dir: maybe(text()),
    config_version: maybe(text()),
  },
  'ignore',
);

const runtime = mapping(
  {
    target_runtime: required(text()),
    target_endpoint: maybe(text()),
    target_adapter: required(text()),
    runtime_contract_ref: required(text()),
  },
  'ignore',
);

const targetKeys = {
  id: required(text()),
  target_class: required(choice(['local', 'remote'])),
  target_kind: required(choice(TARGET_KINDS)),
  embodiment: maybe(text()),
  enabled: optional(bool(), () => true),
  workspace: required(text()),
  supported_skillruntimes: optional(listOf(text()), () => []),
  runtime: required(runtime),
  observation: absent(observationContract),
  perception: absent(perception),
  config: optional(anyMapping(), () => ({})),
};
const target = mapping(targetKeys, 'refuse');
const julyTarget = mapping(
  { ...targetKeys, benchmark_capabilities: optional(listOf(targetCapability), () => []) },
  'refuse',
);

function kindFor(reading: Reading): ListDocument<ShapeOf<typeof target>> {
  return {
    file: 'TARGETS.md',
    version: 'runtime_target_registry_v1',
    list: 'targets',
    id: 'id',
    entry: appliedDialect(reading) === 'july' ? julyTarget : target,
    reading,
  };
}

/**
 * Reads TARGETS.md and says everything the runtime would refuse it for.
 * @param reading left out: as the document itself tells.
 */
export function parseTargets(source: Source, reading?: Reading): Parsed<readonly TargetEntry[]> {
  const read = readSource(source, 'TARGETS.md');
  if ('problem' in read) return { document: null, problems: [read.problem] };
  const kind = kindFor(reading ?? findDialect({ targets: read.raw }));
  const parsed = checkList(read.raw, kind);
  if (parsed.document === null) return { document: null, problems: parsed.problems };
  const twins = duplicateProblems(parsed.document, kind, () => ({
    consequence: 'Sessions that mean this target run on the first one.',
    severity: 'warning',
    fix: 'Rename this target or remove it.',
  }));
  return { document: parsed.document.map(targetEntry), problems: [...parsed.problems, ...twins] };
}

function targetEntry({ value, raw, index }: Entry<ShapeOf<typeof target>>): TargetEntry {
  return {
    id: value.id,
    targetClass: value.target_class,
    targetKind: value.target_kind,
    enabled: value.enabled,
    workspace: value.workspace,
    supportedSkillruntimes: value.supported_skillruntimes,
    targetRuntime: value.runtime.target_runtime,
    targetEndpoint: value.runtime.target_endpoint,
    targetAdapter: value.runtime.target_adapter,
    contractRef: value.runtime.runtime_contract_ref,
    config: value.config,
    raw,
    index,
  };
}
