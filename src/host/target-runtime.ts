import { epochNs } from './now.ts';
import { TargetFault } from './python-error.ts';
import {
  INIT_STATES,
  type OutcomeRule,
  outcomeOf,
  type SimOutcome,
  type SimTask,
  SUITES,
} from './simulator.ts';
import { asMap, NdArray, type WireMap } from './wire.ts';

export interface TargetRuntimeOptions {
  readonly rule: OutcomeRule;
  /** Start flags of the server; sessions overwrite them key by key, and what they do not send sticks. */
  readonly config?: Readonly<WireMap>;
  /** Called before each simulator step and before each build; lets the server take its time. */
  readonly pause?: (what: 'step' | 'build') => Promise<void>;
}

interface Environment {
  readonly key: string;
  readonly suite: string;
  readonly taskId: number;
  readonly camera: readonly [number, number];
}

const START_CONFIG: WireMap = {
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
const ACTION_WIDTH = 7;

/**
 * The one simulator behind all connections of a target server. Its configuration is shared and sticky, its environment is
 * whatever the last configuration built, and nothing protects a running session from a second client: exactly the traps
 * of the real server (runtime-protocol 2.3, 5.5).
 */
export class TargetRuntime {
  readonly config: WireMap;
  readonly #options: TargetRuntimeOptions;
  readonly #visits = new Map<string, number>();
  #env: Environment | null = null;
  #tasks: readonly SimTask[] | null = null;
  #language = 'LIBERO task';
  #sessionId: unknown = null;
  #policySteps = 0;
  /** Counts settle steps too, as the simulator itself does. */
  #simSteps = 0;
  #started: { taskId: number; initStateId: number } = { taskId: 0, initStateId: 0 };
  #run = 0;
  #success = false;
  #done = false;
  #reward = 0;
  #chunks: WireMap[] = [];
  #lastObservation: WireMap | null = null;
  #status: WireMap = { accepted: true, safety_status: 'idle', executed_steps: 0 };

  constructor(options: TargetRuntimeOptions) {
    this.#options = options;
    this.config = { ...START_CONFIG, ...options.config };
  }

  async describe(): Promise<WireMap> {
    await this.#ensureEnvironment();
    const tasks = (this.#tasks ?? []).map((task) => ({
      task_id: task.taskId,
      task_name: task.name,
      language: task.language,
      problem_folder: task.problemFolder,
      bddl_file: task.bddlFile,
    }));
    const channel = (dtype: string, rest: WireMap): WireMap => ({ dtype, ...rest });
    return {
      runtime: 'LiberoRealRemoteTargetRuntime',
      benchmark_name: this.config['benchmark_name'],
      task_id: this.#int('task_id'),
      task_description: this.#language,
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
        max_chunk_size: this.#int('max_chunk_size'),
      },
    };
  }

  configureSession(context: WireMap): WireMap {
    this.#adopt(context);
    return { configured: true, session_id: this.#sessionId, libero: this.#place() };
  }

  startSession(context: WireMap): WireMap {
    if ('session_id' in context) this.#sessionId = context['session_id'];
    return { started: true, session_id: this.#sessionId, libero: this.#place() };
  }

  async reset(context: WireMap): Promise<WireMap> {
    this.#adopt(context);
    const env = await this.#ensureEnvironment();
    const asked = this.#int('init_state_id');
    // Negative indices count from the end, as in the original's arrays.
    const initStateId = asked < 0 ? asked + INIT_STATES : asked;
    if (initStateId < 0 || initStateId >= INIT_STATES) {
      throw new TargetFault(
        'IndexError',
        `index ${asked} is out of bounds for axis 0 with size ${INIT_STATES}`,
      );
    }
    this.#simSteps = 0;
    for (let step = 0; step < this.#int('num_steps_wait'); step += 1) await this.#step();
    const visit = `${env.suite}/${env.taskId}/${initStateId}`;
    this.#run = this.#visits.get(visit) ?? 0;
    this.#visits.set(visit, this.#run + 1);
    this.#started = { taskId: env.taskId, initStateId };
    this.#policySteps = 0;
    this.#success = false;
    this.#done = false;
    this.#reward = 0;
    this.#chunks = [];
    const observation = this.#observe(env);
    this.#status = {
      accepted: true,
      safety_status: 'ok',
      executed_steps: 0,
      target_step_index: 0,
      success: false,
      done: false,
      reward: 0,
      obs: observation,
    };
    return observation;
  }

  observe(): WireMap {
    if (this.#lastObservation === null)
      throw new TargetFault('TargetProtocolError', 'LIBERO observe before reset');
    return this.#lastObservation;
  }

  async actionChunk(chunk: WireMap): Promise<WireMap> {
    const { rows, skill } = this.#actions(chunk['actions']);
    const id = chunk['chunk_id'] ?? 'libero_chunk';
    const firstStep = this.#policySteps + 1;
    const maxSteps = this.#int('max_steps');
    let reward = 0;
    for (let row = 0; row < rows; row += 1) {
      const outcome = await this.#step(skill);
      this.#policySteps += 1;
      if (outcome) {
        reward += 1;
        this.#success = true;
        this.#done = true;
      }
      if (this.#done || this.#policySteps >= maxSteps) break;
    }
    this.#reward += reward;
    this.#done = this.#done || this.#policySteps >= maxSteps;
    const observation = this.#observe(this.#environment());
    this.#chunks.push({
      chunk_id: id,
      first_step: firstStep,
      executed_steps: Math.max(0, this.#policySteps - firstStep + 1),
      requested_steps: rows,
      reward,
      success: this.#success,
      done: this.#done,
      action_shape: [rows, ACTION_WIDTH],
    });
    this.#status = this.#statusAfter(id, reward, observation);
    return { ...this.#status };
  }

  executionStatus(): WireMap {
    return { ...this.#status };
  }

  cancel(reason: string): WireMap {
    this.#status = { ...this.#status, cancelled: true, cancel_reason: reason };
    return { cancelled: true, reason };
  }

  close(): WireMap {
    this.#env = null;
    return { closed: true };
  }

  #adopt(context: WireMap): void {
    if ('session_id' in context) this.#sessionId = context['session_id'];
    Object.assign(this.config, asMap(context['libero']) ?? {});
  }

  #statusAfter(id: unknown, reward: number, observation: WireMap): WireMap {
    return {
      chunk_id: id,
      accepted: true,
      buffered_steps: 0,
      executed_steps: this.#policySteps,
      target_step_index: this.#policySteps,
      need_replan: !this.#success,
      safety_status: 'ok',
      success: this.#success,
      done: this.#done,
      reward,
      obs: observation,
      libero: this.#place(),
      episode_summary: {
        benchmark_name: this.config['benchmark_name'],
        task_id: this.#int('task_id'),
        init_state_id: this.#int('init_state_id'),
        task_description: this.#language,
        target_step_index: this.#policySteps,
        success: this.#success,
        done: this.#done,
        total_reward: this.#reward,
        num_action_chunks: this.#chunks.length,
        chunks: [...this.#chunks],
        final_observation_id: observation['observation_id'],
      },
    };
  }

  /** Rows of a valid chunk, and the skill the policy put into its first number (0 for a policy that does nothing). */
  #actions(actions: unknown): { rows: number; skill: number } {
    const shape = actions instanceof NdArray ? actions.shape : [];
    const [rows = 0, width] = shape;
    if (shape.length !== 2 || width !== ACTION_WIDTH || !(actions instanceof NdArray)) {
      throw new TargetFault(
        'TargetProtocolError',
        `LIBERO expected actions [T,7], got (${shape.join(', ')})`,
      );
    }
    if (rows > this.#int('max_chunk_size'))
      throw new TargetFault('TargetProtocolError', `LIBERO action chunk too large: ${rows}`);
    const values = actions.numbers();
    if (values === null || values.some((value) => !Number.isFinite(value))) {
      throw new TargetFault('TargetProtocolError', 'LIBERO actions contain NaN or Inf');
    }
    const skill = Math.min(1, Math.max(0, values[0] ?? 0));
    return { rows, skill: Math.round(skill * 10_000) / 10_000 };
  }

  /** One simulator step; true when the task is solved now. Without a skill: a settle step. */
  async #step(skill?: number): Promise<boolean> {
    await this.#options.pause?.('step');
    const env = this.#environment();
    this.#simSteps += 1;
    if (skill === undefined) return false;
    const { taskId, initStateId } = this.#started;
    const outcome: SimOutcome = outcomeOf(
      { suite: env.suite, taskId, initStateId, skill, run: this.#run },
      this.#options.rule,
    );
    return outcome.success && this.#simSteps >= outcome.successStep;
  }

  /** The open environment; what the original says when another client closed it under a running session. */
  #environment(): Environment {
    if (this.#env === null)
      throw new TargetFault('AttributeError', "'NoneType' object has no attribute 'step'");
    return this.#env;
  }

  async #ensureEnvironment(): Promise<Environment> {
    const name = String(this.config['benchmark_name']);
    const taskId = this.#int('task_id');
    const camera: [number, number] = [this.#int('camera_height'), this.#int('camera_width')];
    const key = JSON.stringify([name, taskId, camera]);
    if (this.#env?.key === key) return this.#env;
    const tasks = SUITES.get(name);
    if (tasks === undefined) throw new TargetFault('KeyError', `'${name}'`);
    const task = tasks.at(taskId);
    if (task === undefined) throw new TargetFault('IndexError', 'list index out of range');
    await this.#options.pause?.('build');
    // A fresh environment stands at step 0 of initial state 0, also in the middle of somebody's session.
    this.#env = { key, suite: name, taskId, camera };
    this.#tasks = tasks;
    this.#language = task.language;
    this.#simSteps = 0;
    this.#started = { taskId: 0, initStateId: 0 };
    return this.#env;
  }

  #observe(env: Environment): WireMap {
    const [height, width] = env.camera;
    const image = new NdArray('|u1', [height, width, 3], frame(height, width, this.#policySteps));
    this.#lastObservation = {
      observation_id: `libero_obs_${this.#policySteps}`,
      agentview_image: image,
      robot0_eye_in_hand_image: image,
      robot0_eef_pos: NdArray.float32([0, 0, 0]),
      robot0_eef_quat: NdArray.float32([0, 0, 0, 1]),
      robot0_gripper_qpos: NdArray.float32([0.04, -0.04]),
      benchmark_name: this.config['benchmark_name'],
      task_id: this.#int('task_id'),
      init_state_id: this.#int('init_state_id'),
      task_description: this.#language,
      timestamp_ns: epochNs(),
    };
    return this.#lastObservation;
  }

  #place(): WireMap {
    return {
      benchmark_name: this.config['benchmark_name'],
      task_id: this.#int('task_id'),
      init_state_id: this.#int('init_state_id'),
      step_index: this.#policySteps,
      task_description: this.#language,
    };
  }

  /** A whole number of the configuration; text counts, as Python's `int()` takes it. */
  #int(key: string): number {
    const value = this.config[key];
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
}

/** A cheap picture that differs from step to step. */
function frame(height: number, width: number, step: number): Uint8Array {
  return new Uint8Array(height * width * 3).fill((37 + step * 11) % 256);
}
