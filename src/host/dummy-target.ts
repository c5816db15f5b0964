import { PyFloat } from '../pyyaml/values.ts';
import { RuntimeFailure } from './python-error.ts';
import type { RolloutTarget } from './rollout-target.ts';
import { asMap, NdArray, type WireMap } from './wire.ts';

/** The runtime's local smoke-test target: succeeds after `success_after_steps` steps, whatever the actions are. */
export class DummyTarget implements RolloutTarget {
  readonly #config: Readonly<WireMap>;
  #steps = 0;
  #status: WireMap = { accepted: true, safety_status: 'idle', executed_steps: 0 };

  constructor(config: Readonly<WireMap>) {
    this.#config = config;
  }

  build(): Promise<void> {
    return Promise.resolve();
  }

  configureSession(): Promise<void> {
    return Promise.resolve();
  }

  startSession(): Promise<void> {
    return Promise.resolve();
  }

  reset(): Promise<WireMap> {
    this.#steps = 0;
    this.#status = { accepted: true, safety_status: 'ok', executed_steps: 0 };
    return this.observe();
  }

  observe(): Promise<WireMap> {
    return Promise.resolve(this.#observation());
  }

  async actionChunk(chunk: WireMap): Promise<WireMap> {
    // A turn of the event loop: without it an endless episode would never let its own timeout fire.
    await new Promise((resolve) => setImmediate(resolve));
    const actions = chunk['actions'];
    const [rows = 0, width = 0] = actions instanceof NdArray ? actions.shape : [];
    const needed = this.#int('action_dim', 'action', 7);
    if (width < needed) {
      throw new RuntimeFailure(
        'TARGET_STEP',
        `expected action vector with at least ${needed} dims, got (${width},)`,
      );
    }
    let isDone = false;
    for (let row = 0; row < rows && !isDone; row += 1) {
      this.#steps += 1;
      isDone = this.#steps >= this.#int('success_after_steps', null, 5);
    }
    this.#status = {
      chunk_id: chunk['chunk_id'] ?? 'dummy_chunk',
      accepted: true,
      buffered_steps: Math.max(0, rows - this.#steps),
      executed_steps: this.#steps,
      target_step_index: this.#steps,
      need_replan: !isDone,
      safety_status: 'ok',
      success: isDone,
      done: isDone,
      reward: new PyFloat(isDone ? 1 : 0),
      obs: this.#observation(),
    };
    return this.#status;
  }

  executionStatus(): Promise<WireMap> {
    return Promise.resolve({ ...this.#status });
  }

  cancel(reason: string): Promise<void> {
    this.#status = { ...this.#status, cancelled: true, cancel_reason: reason };
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #observation(): WireMap {
    const size = this.#int('image_size', 'observation', 224);
    const picture = (): NdArray => new NdArray('|u1', [size, size, 3], new Uint8Array(size * size * 3));
    const state = NdArray.float32(new Array<number>(this.#int('state_dim', 'observation', 8)).fill(0));
    return { image: picture(), wrist_image: picture(), state };
  }

  /** A number from the config's top level, else from a section of it, else the default. */
  #int(key: string, section: string | null, fallback: number): number {
    const nested = section === null ? undefined : asMap(this.#config[section])?.[key];
    const value = Number(this.#config[key] ?? nested ?? fallback);
    return Number.isFinite(value) ? Math.trunc(value) : fallback;
  }
}
