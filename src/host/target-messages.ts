import { epochNs } from './now.ts';
import { TargetFault } from './python-error.ts';
import { INIT_STATES, type SimTask, SUITES } from './simulator.ts';
import { NdArray, type WireMap } from './wire.ts';

/** Payloads of the target server, from its configuration and state. */

export const ACTION_WIDTH = 7;

/** What a server starts with; sessions overwrite it key by key. */
export const START_CONFIG: WireMap = {
  benchmark_name: 'libero_spatial',
  task_id: 0,
  init_state_id: 0,
  camera_height: 256,
  camera_width: 256,
  max_chunk_size: 50,
  max_steps: 300,
  num_steps_wait: 10,
  record_dir: null,
  record_fps: 20,
};

/** A whole number of the configuration; text counts, as Python's `int()` takes it. */
export function intOf(config: Readonly<WireMap>, key: string): number {
  const value = config[key];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return Math.trunc(Number(value));
  if (typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value)) return Number(value);
  if (typeof value === 'string')
    throw new TargetFault('ValueError', `invalid literal for int() with base 10: '${value}'`);
  throw new TargetFault(
    'TypeError',
    "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
  );
}

/** The answer to target.describe: the suite of the *present* configuration, whoever set it. */
export function describePayload(
  config: Readonly<WireMap>,
  simTasks: readonly SimTask[],
  language: string,
): WireMap {
  const tasks = simTasks.map((task) => ({
    task_id: task.taskId,
    task_name: task.name,
    language: task.language,
    problem_folder: task.problemFolder,
    bddl_file: task.bddlFile,
  }));
  const channel = (dtype: string, rest: WireMap): WireMap => ({ dtype, ...rest });
  return {
    runtime: 'LiberoRealRemoteTargetRuntime',
    benchmark_name: config['benchmark_name'],
    task_id: intOf(config, 'task_id'),
    task_description: language,
    num_tasks: tasks.length,
    task_list: tasks,
    observation_schema: {
      agentview_image: channel('uint8', { layout: 'HWC' }),
      robot0_eye_in_hand_image: channel('uint8', { layout: 'HWC' }),
      robot0_eef_pos: channel('float32', { shape: [3] }),
      robot0_eef_quat: channel('float32', { shape: [4] }),
      robot0_gripper_qpos: channel('float32', { shape: [2] }),
    },
    action_contract: {
      id: 'libero_delta_eef_gripper_v1',
      shape: ['T', ACTION_WIDTH],
      dtype: 'float32',
      normalized: false,
      frame: 'base',
      max_chunk_size: intOf(config, 'max_chunk_size'),
    },
  };
}

interface View {
  readonly step: number;
  /** Height and width. */
  readonly camera: readonly [number, number];
  readonly language: string;
}

/** What the cameras and joints show after a step. */
export function observationOf(config: Readonly<WireMap>, { step, camera, language }: View): WireMap {
  const [height, width] = camera;
  const image = new NdArray('|u1', [height, width, 3], frame(height, width, step));
  return {
    observation_id: `libero_obs_${step}`,
    agentview_image: image,
    robot0_eye_in_hand_image: image,
    robot0_eef_pos: NdArray.float32([0, 0, 0]),
    robot0_eef_quat: NdArray.float32([0, 0, 0, 1]),
    robot0_gripper_qpos: NdArray.float32([0.04, -0.04]),
    benchmark_name: config['benchmark_name'],
    task_id: intOf(config, 'task_id'),
    init_state_id: intOf(config, 'init_state_id'),
    task_description: language,
    timestamp_ns: epochNs(),
  };
}

/** A cheap picture that differs from step to step. */
function frame(height: number, width: number, step: number): Uint8Array {
  return new Uint8Array(height * width * 3).fill((37 + step * 11) % 256);
}

/** Rows of a valid chunk, and the skill the policy put into its first number (0 for a policy that does nothing). */
export function readActions(config: Readonly<WireMap>, actions: unknown): { rows: number; skill: number } {
  const shape = actions instanceof NdArray ? actions.shape : [];
  const [rows = 0, width] = shape;
  if (shape.length !== 2 || width !== ACTION_WIDTH || !(actions instanceof NdArray)) {
    throw new TargetFault('TargetProtocolError', `LIBERO expected actions [T,7], got (${shape.join(', ')})`);
  }
  if (rows > intOf(config, 'max_chunk_size'))
    throw new TargetFault('TargetProtocolError', `LIBERO action chunk too large: ${rows}`);
  const values = actions.numbers();
  if (values === null || values.some((value) => !Number.isFinite(value))) {
    throw new TargetFault('TargetProtocolError', 'LIBERO actions contain NaN or Inf');
  }
  // Our policies write the same number into each row; of one that moves at random, the worst row counts.
  const worst = Math.min(...values.filter((_, index) => index % ACTION_WIDTH === 0));
  const skill = rows === 0 ? 0 : Math.min(1, Math.max(0, worst));
  return { rows, skill: Math.round(skill * 10_000) / 10_000 };
}

/** The status after a reset. */
export function freshStatus(observation: WireMap): WireMap {
  return {
    accepted: true,
    safety_status: 'ok',
    executed_steps: 0,
    target_step_index: 0,
    success: false,
    done: false,
    reward: 0,
    obs: observation,
  };
}

/** Suite and task of a configuration; errors as the original's lists and dictionaries raise them. */
export function findTask(suite: string, taskId: number): { tasks: readonly SimTask[]; task: SimTask } {
  const tasks = SUITES.get(suite);
  if (tasks === undefined) throw new TargetFault('KeyError', `'${suite}'`);
  const task = tasks.at(taskId);
  if (task === undefined) throw new TargetFault('IndexError', 'list index out of range');
  return { tasks, task };
}

/** The configured initial state; negative ones count from the end, as in the original's arrays. */
export function initStateOf(config: Readonly<WireMap>): number {
  const asked = intOf(config, 'init_state_id');
  const initStateId = asked < 0 ? asked + INIT_STATES : asked;
  if (initStateId >= 0 && initStateId < INIT_STATES) return initStateId;
  throw new TargetFault('IndexError', `index ${asked} is out of bounds for axis 0 with size ${INIT_STATES}`);
}
