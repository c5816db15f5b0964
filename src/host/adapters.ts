import { CONTRACT_TARGET_ADAPTER, checkContractActions, contractInput } from './contract-adapter.ts';
import type { FreeMap } from './loose-values.ts';
import { RuntimeFailure } from './python-error.ts';
import type { Contract, Target } from './registry-schema.ts';
import { asMap, NdArray, type WireMap } from './wire.ts';

/** What stands between policy and target: shape checks on the way there, key checks on the way back. Pure. */

export const TARGET_ADAPTERS: ReadonlySet<string> = new Set([
  'target_adapter://dummy_sim_adapter',
  'target_adapter://libero_adapter',
  'target_adapter://libero_mock_adapter',
]);
export const POLICY_ADAPTERS: ReadonlySet<string> = new Set([
  'policy_adapter://dummy_openpi_adapter',
  'policy_adapter://openpi_pi05_adapter',
]);
export const ACTION_BRIDGES: ReadonlySet<string> = new Set(['bridge://safety_clamp']);

/** The runtime's default when nothing in the config says how long a chunk may be (runtime-protocol 2.4). */
const DEFAULT_CHUNK = 4;
const DEFAULT_WIDTH = 7;
const LIBERO_OBSERVATION_KEYS = [
  'agentview_image',
  'robot0_eye_in_hand_image',
  'robot0_eef_pos',
  'robot0_eef_quat',
  'robot0_gripper_qpos',
];

interface ActionLimits {
  readonly actionDim: number;
  readonly maxChunkSize: number;
  /** Rows of the built-in policy's answers. */
  readonly dummyChunk: number;
}

/** Limits from a target's config, with the runtime's order of precedence. */
export function actionLimits(target: Target): ActionLimits {
  const action = asMap(target.config['action']) ?? {};
  const chunk = target.config['chunk_size'] ?? action['chunk_size'] ?? DEFAULT_CHUNK;
  return {
    actionDim: Number(target.config['action_dim'] ?? action['action_dim'] ?? DEFAULT_WIDTH),
    maxChunkSize: Number(action['max_chunk_size'] ?? chunk),
    dummyChunk: Number(chunk),
  };
}

export interface AdapterStack {
  readonly targetAdapter: string;
  readonly policyAdapter: string;
  readonly bridges: readonly string[];
  readonly limits: ActionLimits;
  /** `output_contract.action` of the skill runtime; empty when it has none. */
  readonly actionContract: FreeMap;
  /** The target's contract; only the contract adapters go by it. */
  readonly contract: Contract | null;
}

/** The policy's input for a raw observation. Throws ADAPTER when a key is missing. */
export function policyInput(stack: AdapterStack, observation: WireMap, prompt: string): WireMap {
  const contract = governingContract(stack);
  if (contract !== null) return contractInput(contract, observation, prompt);
  if (stack.targetAdapter === 'target_adapter://dummy_sim_adapter') {
    const { image, wrist_image: wrist, state } = observation;
    if (image === undefined || wrist === undefined || state === undefined) {
      throw new RuntimeFailure('ADAPTER', 'dummy target observation missing image, wrist_image, or state');
    }
    return {
      'observation/image': image,
      'observation/wrist_image': wrist,
      'observation/state': state,
      prompt,
    };
  }
  const missing = LIBERO_OBSERVATION_KEYS.find((key) => !(key in observation));
  if (missing !== undefined)
    throw new RuntimeFailure('ADAPTER', `LIBERO observation missing key: ${missing}`);
  return {
    'observation/image': observation['agentview_image'],
    'observation/wrist_image': observation['robot0_eye_in_hand_image'],
    'observation/state': liberoState(observation),
    prompt,
  };
}

/** Position, rotation as axis times angle, two finger positions. */
function liberoState(observation: WireMap): NdArray {
  const numbers = (key: string): number[] => {
    const value = observation[key];
    return value instanceof NdArray ? (value.numbers() ?? []) : [];
  };
  const [x = 0, y = 0, z = 0, w = 1] = numbers('robot0_eef_quat');
  const cosine = Math.min(1, Math.max(-1, w));
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  const scale = sine < 1e-8 ? 0 : (2 * Math.acos(cosine)) / sine;
  return NdArray.float32([
    ...numbers('robot0_eef_pos'),
    x * scale,
    y * scale,
    z * scale,
    ...numbers('robot0_gripper_qpos'),
  ]);
}

/** The chunk a target executes for the policy's actions; throws ADAPTER with the first check that fails. */
export function executableChunk(stack: AdapterStack, actions: NdArray, observationId: unknown): WireMap {
  const governing = governingContract(stack);
  if (governing !== null) checkContractActions(governing, actions, stack.limits.maxChunkSize);
  else checkByAdapter(stack, actions);
  const contract = stack.actionContract;
  return {
    chunk_id: 'policy_chunk_0',
    source_observation_id: observationId ?? null,
    source_policy_seq: 0,
    action_contract: {
      id: contract['action_space_id'] ?? 'dummy_policy_delta_eef_gripper_v1',
      representation: contract['representation'] ?? 'delta_eef_pose_gripper',
      frame: contract['frame'] ?? 'base',
      control_mode: contract['control_mode'] ?? 'policy_delta',
      dtype: contract['dtype'] ?? 'float32',
      shape: [...actions.shape],
      normalized: contract['normalized'] === true,
      components: contract['components'] ?? [],
    },
    provenance: stack.bridges.length > 0 ? { bridges_applied: [...stack.bridges] } : {},
    actions,
    safety: { require_target_side_validation: true, stop_on_timeout: true, stop_on_nan: true },
  };
}

function checkByAdapter(stack: AdapterStack, actions: NdArray): void {
  checkPolicyOutput(stack, actions);
  for (const bridge of stack.bridges)
    if (bridge === 'bridge://safety_clamp') checkClamp(stack.limits, actions);
  checkTargetAdapter(stack, actions);
}

/** The contract of a target whose adapter goes by it. */
function governingContract({ targetAdapter, contract }: AdapterStack): Contract | null {
  return targetAdapter === CONTRACT_TARGET_ADAPTER ? contract : null;
}

function checkPolicyOutput(stack: AdapterStack, actions: NdArray): void {
  const expected = stack.actionContract['shape'];
  const declared = Array.isArray(expected) && expected.length === 2 ? expected[1] : stack.limits.actionDim;
  const width =
    stack.policyAdapter === 'policy_adapter://openpi_pi05_adapter' ? DEFAULT_WIDTH : stack.limits.actionDim;
  for (const wanted of [declared, width]) {
    if (typeof wanted === 'number' && actions.shape[1] !== wanted) {
      throw new RuntimeFailure(
        'ADAPTER',
        `policy action shape mismatch: expected [T,${wanted}], got ${shapeText(actions)}`,
      );
    }
  }
}

function checkClamp(limits: ActionLimits, actions: NdArray): void {
  if (!allFinite(actions)) throw new RuntimeFailure('ADAPTER', 'actions contain NaN or Inf');
  const [rows = 0, width] = actions.shape;
  if (width !== limits.actionDim) {
    throw new RuntimeFailure(
      'ADAPTER',
      `action shape mismatch: expected [T,${limits.actionDim}], got ${shapeText(actions)}`,
    );
  }
  if (rows > limits.maxChunkSize) {
    throw new RuntimeFailure('ADAPTER', `action chunk too large: ${rows} > ${limits.maxChunkSize}`);
  }
}

function checkTargetAdapter(stack: AdapterStack, actions: NdArray): void {
  const [rows = 0, width] = actions.shape;
  const { actionDim, maxChunkSize } = stack.limits;
  if (stack.targetAdapter === 'target_adapter://dummy_sim_adapter') {
    if (width !== actionDim) {
      throw new RuntimeFailure(
        'ADAPTER',
        `action shape mismatch: expected [T,${actionDim}], got ${shapeText(actions)}`,
      );
    }
    return;
  }
  if (width !== DEFAULT_WIDTH) {
    throw new RuntimeFailure(
      'ADAPTER',
      `LIBERO action shape mismatch: expected [T,7], got ${shapeText(actions)}`,
    );
  }
  if (rows > maxChunkSize) {
    throw new RuntimeFailure('ADAPTER', `LIBERO action chunk too large: ${rows} > ${maxChunkSize}`);
  }
  if (!allFinite(actions)) throw new RuntimeFailure('ADAPTER', 'LIBERO actions contain NaN or Inf');
}

function allFinite(actions: NdArray): boolean {
  return (actions.numbers() ?? [Number.NaN]).every((value) => Number.isFinite(value));
}

function shapeText(actions: NdArray): string {
  return `(${actions.shape.join(', ')})`;
}
