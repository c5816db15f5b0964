/** How a run queues and waits. Times in milliseconds. */
export interface QueueSettings {
  readonly queueWindow: number;
  readonly retryErrors: number;
  readonly maxConsecutiveErrors: number;
  /** How long to probe a broken target or policy before giving up. */
  readonly hostWaitMs: number;
  /** From running to terminal, without the grace. */
  readonly sessionTimeoutMs: number;
  /** Over all, without the time foreign sessions ran. */
  readonly runTimeoutMs: number | null;
  /** Without any movement while nothing runs. */
  readonly stallTimeoutMs: number;
  readonly keepSessions: 'no' | 'end' | 'always';
}

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = {
  queueWindow: 2,
  retryErrors: 1,
  maxConsecutiveErrors: 3,
  hostWaitMs: 15 * 60_000,
  sessionTimeoutMs: 1800_000,
  runTimeoutMs: null,
  stallTimeoutMs: 10 * 60_000,
  keepSessions: 'no',
};
