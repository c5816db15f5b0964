import { type Problem, problemOf } from '../errors/rb-error.ts';
import { hasNonTextKey, loadYaml, YamlError } from './pyyaml.ts';
import { issueProblem, type Parsed } from './runtime-document.ts';
import {
  absent,
  anyMapping,
  bool,
  check,
  choice,
  float,
  integer,
  isMapping,
  listOf,
  mapping,
  maybe,
  optional,
  refined,
  required,
  type Shape,
  type ShapeOf,
  text,
} from './shape.ts';
import type { TargetEntry } from './targets.ts';

/** The contract file of a target (`configs/runtime/contracts/<target>.runtime.yaml`). */
interface RuntimeContract {
  readonly targetId: string;
  readonly targetAdapter: string;
  readonly acceptedRepresentations: readonly string[];
  /** Actions a chunk may hold by this contract; null when it does not say. The target's config has its own limit. */
  readonly maxChunkSize: number | null;
  /** The file as it stands. */
  readonly raw: Record<string, unknown>;
}

/** A whole number or text: an action shape such as `[T, 7]`. */
const dimension: Shape<string | number> = (value, place) =>
  typeof value === 'string' ? value : integer()(value, place);

const chunk = mapping(
  {
    max_chunk_size: maybe(integer()),
    preferred_chunk_size: maybe(integer()),
    preferred_replan_after_steps: maybe(integer()),
    switch_policy: optional(choice(['soft_blend', 'hard_switch']), () => 'hard_switch'),
  },
  'ignore',
);

const actionContract = mapping(
  {
    id: required(text()),
    accepted_representations: required(listOf(text())),
    shape: required(listOf(dimension)),
    dtype: required(text()),
    normalized: required(bool()),
    frame: required(text()),
    control_mode: required(text()),
    control_hz: required(float()),
    components: optional(
      listOf(mapping({ name: required(text()), unit: maybe(text()) }, 'ignore')),
      () => [],
    ),
    chunk: absent(chunk),
  },
  'ignore',
);

const safety = mapping(
  {
    require_target_side_validation: optional(choice([true]), () => true),
    workspace_bounds_ref: maybe(text()),
    max_translation_per_step_m: maybe(float()),
    max_rotation_per_step_rad: maybe(float()),
    max_linear_velocity_mps: maybe(float()),
    max_angular_velocity_radps: maybe(float()),
    gripper_range: maybe(
      refined(listOf(float()), (range) =>
        range.length === 2 ? null : { code: 'RB207', statement: 'it must be a list of two numbers' },
      ),
    ),
    stop_on_nan: optional(choice([true]), () => true),
    stop_on_timeout: optional(choice([true]), () => true),
    operator_override_required: optional(bool(), () => false),
  },
  'ignore',
);

const contract = mapping(
  {
    version: optional(choice(['runtime_target_contract_v1']), () => 'runtime_target_contract_v1'),
    target_id: required(text()),
    target_adapter: required(text()),
    observation: optional(anyMapping(), () => ({})),
    action_contract: required(actionContract),
    safety: required(safety),
    capabilities: optional(anyMapping(), () => ({})),
  },
  'ignore',
);

const REJECTED = 'Every session of this target is rejected.';

/** Reads a contract file (plain YAML, no fenced block) and says what the runtime would reject sessions for. */
export function parseContract(source: string, file: string): Parsed<RuntimeContract> {
  let raw: unknown;
  try {
    raw = loadYaml(source);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const where = error.line === null ? file : `${file} line ${error.line}`;
    return {
      document: null,
      problems: [contractProblem('RB221', where, `${error.message}.`, 'Mend the YAML.')],
    };
  }
  const { value, issues } = check(contract, raw, []);
  const problems = issues.map((issue) => issueProblem(issue, file, { reading: null, consequence: REJECTED }));
  if (value === null || !isMapping(raw)) return { document: null, problems };
  return { document: contractOf(value, raw), problems };
}

function contractOf(value: ShapeOf<typeof contract>, raw: Record<string, unknown>): RuntimeContract {
  return {
    targetId: value.target_id,
    targetAdapter: value.target_adapter,
    acceptedRepresentations: value.action_contract.accepted_representations,
    maxChunkSize: value.action_contract.chunk?.max_chunk_size ?? null,
    raw,
  };
}

/**
 * Where a contract and its target disagree, over which the runtime rejects every session of the target; and what of the two
 * could not be copied.
 */
export function contractMismatches(target: TargetEntry, found: RuntimeContract): Problem[] {
  const problems: Problem[] = [
    ...copyProblems(target.raw, `TARGETS.md ${target.id}`),
    ...copyProblems(found.raw, target.contractRef),
  ];
  if (found.targetId !== target.id) {
    const message = `its target_id is ${JSON.stringify(found.targetId)}, but target ${JSON.stringify(target.id)} refers to it.`;
    const fix = 'Copy the file, set target_id to that of the target, and refer to the copy.';
    problems.push(contractProblem('RB220', `${target.contractRef} target_id`, message, fix));
  }
  if (found.targetAdapter !== target.targetAdapter) {
    const message = `its target_adapter is ${JSON.stringify(found.targetAdapter)}, that of target ${JSON.stringify(target.id)} is ${JSON.stringify(target.targetAdapter)}.`;
    problems.push(
      contractProblem('RB220', `${target.contractRef} target_adapter`, message, 'Make the two equal.'),
    );
  }
  return problems;
}

function contractProblem(code: 'RB220' | 'RB221', where: string, message: string, fix: string): Problem {
  return { code, where, message, fix, consequence: REJECTED, severity: 'fatal' };
}

/**
 * What of a target's entry or contract a cell target could not say again: mappings with keys that are no text (`{0: a}`),
 * which would come back as text. The runtime takes them. One problem for each such mapping.
 */
function copyProblems(value: unknown, where: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => copyProblems(item, `${where}[${index}]`));
  if (!isMapping(value)) return [];
  const own: Problem[] = hasNonTextKey(value) ? [keyProblem(where)] : [];
  return [...own, ...Object.entries(value).flatMap(([key, item]) => copyProblems(item, `${where}.${key}`))];
}

function keyProblem(where: string): Problem {
  return problemOf('RB223', {
    where,
    message: 'a key is a number, a date, yes, no or null.',
    fix: 'Put the keys in quotes, if the simulator takes them as text; otherwise measure without them.',
    consequence: 'The copies of this target that carry a task each would hold other keys.',
  });
}
