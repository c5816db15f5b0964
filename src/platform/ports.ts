/** The outside world as the use cases see it; tests pass fakes of these. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. */
  now(): number;
  /** Resolves after `ms`, or early (without error) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Log {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
  /** Foldable section in the job log; a heading on a terminal. */
  group(title: string): void;
  endGroup(): void;
  /** A line that replaces the previous progress line on a terminal; rate-limited plain lines elsewhere. An empty one takes it away. */
  progress(message: string): void;
}
