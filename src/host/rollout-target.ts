import { RuntimeFailure } from './python-error.ts';
import type { TargetClient } from './target-client.ts';
import { asMap, NdArray, type WireMap } from './wire.ts';

/** What the watchdog drives: a local stand-in or a simulator behind a socket. */
export interface RolloutTarget {
  build(): Promise<void>;
  configureSession(context: WireMap): Promise<void>;
  startSession(context: WireMap): Promise<void>;
  reset(session: WireMap): Promise<WireMap>;
  observe(): Promise<WireMap>;
  actionChunk(chunk: WireMap): Promise<WireMap>;
  executionStatus(): Promise<WireMap>;
  cancel(reason: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * `libero`: completed with LIBERO's defaults, twice, and chunks are checked, as the proxy for that benchmark does. `config`:
 * as it is, under that name. `nothing`: the server is not told, as the original's general proxy does.
 */
export type ConfigSent = 'libero' | 'config' | 'nothing';

interface RemoteTargetOptions {
  readonly config: Readonly<WireMap>;
  readonly sends: ConfigSent;
  readonly onClosed: () => void;
}

/** Keys the LIBERO proxy always sends, whatever the target's config leaves out. */
const FIXED = {
  benchmark_name: 'libero_spatial',
  task_id: 0,
  init_state_id: 0,
  camera_height: 256,
  camera_width: 256,
  action_dim: 7,
  max_chunk_size: 50,
};
/** A simulator behind TargetWS. */
export class RemoteTarget implements RolloutTarget {
  readonly #client: TargetClient;
  readonly #config: Readonly<WireMap>;
  readonly #sends: ConfigSent;
  readonly #onClosed: () => void;
  #ids: { sessionId: string | null; skillId: string | null } = { sessionId: null, skillId: null };

  constructor(client: TargetClient, options: RemoteTargetOptions) {
    this.#client = client;
    this.#config = options.sends === 'libero' ? { ...FIXED, ...options.config } : options.config;
    this.#sends = options.sends;
    this.#onClosed = options.onClosed;
  }

  build(): Promise<void> {
    return this.#client.connect();
  }

  async configureSession(context: WireMap): Promise<void> {
    await this.#call('target.configure_session', this.#withConfig(context));
  }

  async startSession(context: WireMap): Promise<void> {
    await this.#call('target.start_session', context);
  }

  reset(session: WireMap): Promise<WireMap> {
    return this.#call('target.reset', this.#withConfig(session));
  }

  observe(): Promise<WireMap> {
    return this.#call('target.observe', {});
  }

  async actionChunk(chunk: WireMap): Promise<WireMap> {
    const actions = chunk['actions'];
    const limit = Number(this.#config['max_chunk_size'] ?? FIXED.max_chunk_size);
    const rows = actions instanceof NdArray ? (actions.shape[0] ?? 0) : 0;
    if (this.#sends === 'libero' && rows > limit) {
      throw new RuntimeFailure('TARGET_PROTOCOL', `LIBERO action chunk too large: ${rows} > ${limit}`);
    }
    return this.#call('target.action_chunk', chunk);
  }

  executionStatus(): Promise<WireMap> {
    return this.#call('target.execution_status', {});
  }

  async cancel(reason: string): Promise<void> {
    await this.#call('target.cancel', { reason });
  }

  async close(): Promise<void> {
    try {
      if (this.#client.isConnected) await this.#call('target.close', {});
    } finally {
      this.#client.close();
      this.#onClosed();
    }
  }

  #call(type: string, payload: WireMap): Promise<WireMap> {
    const sessionId = payload['session_id'];
    const skill = payload['skillruntime_ref'];
    if (typeof sessionId === 'string') this.#ids = { ...this.#ids, sessionId };
    if (typeof skill === 'string' && skill.startsWith('skillruntime://')) {
      this.#ids = { ...this.#ids, skillId: skill.slice('skillruntime://'.length) };
    }
    return this.#client.call(type, payload, this.#ids);
  }

  #withConfig(context: WireMap): WireMap {
    if (this.#sends === 'nothing') return context;
    if (this.#sends === 'config') return { ...context, config: this.#config };
    const metadata = asMap(context['metadata']) ?? {};
    const libero = { ...this.#config, ...asMap(metadata['libero']) };
    return { ...context, metadata: { ...metadata, libero }, libero };
  }
}
