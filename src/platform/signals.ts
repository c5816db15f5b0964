import { EXIT, type ExitCode } from '../errors/rb-error.ts';

/**
 * A terminal's Ctrl-C reaches the whole process group and npm passes it on once more, so a second signal this soon
 * is the same wish, not impatience.
 */
const SAME_WISH_MS = 1000;

const EXIT_OF = { SIGINT: EXIT.sigint, SIGTERM: EXIT.sigterm } as const;
type StopSignal = keyof typeof EXIT_OF;

/** Why the signal of an interruption is aborted. */
class Interrupted extends Error {
  readonly signal: StopSignal;
  constructor(signal: StopSignal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** The signal that stopped the work; null when it was not stopped, or by something else. */
export function stopSignalOf(work: AbortSignal): StopSignal | null {
  return work.aborted && work.reason instanceof Interrupted ? work.reason.signal : null;
}

interface Interruption {
  /** Aborts at the first SIGINT or SIGTERM; the use case then has five seconds to leave things in order. */
  readonly signal: AbortSignal;
  /** Takes the second signal over; the third one ends the process then. */
  readonly second: () => AbortSignal;
  /** Exit code of the signal that came first, null while none has come. */
  readonly exitCode: () => ExitCode | null;
  /** Stops listening; Node's default handling applies again. */
  dispose(): void;
}

/** The parts of `process` used here, so that tests can send signals without killing their own process. */
interface SignalSource {
  on(name: StopSignal, listener: () => void): unknown;
  off(name: StopSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Turns SIGINT and SIGTERM into one AbortSignal. A runner that cancels sends SIGINT, SIGTERM 7.5 s later and kills
 * 2.5 s after that; a person presses Ctrl-C twice. So a later second signal ends the process at once.
 */
export function watchSignals(source: SignalSource, now: () => number): Interruption {
  const controller = new AbortController();
  let second: AbortController | null = null;
  let first: { readonly name: StopSignal; readonly at: number } | null = null;

  const receive = (name: StopSignal): void => {
    if (first === null) {
      first = { name, at: now() };
      controller.abort(new Interrupted(name));
      return;
    }
    if (now() - first.at < SAME_WISH_MS) return;
    if (second === null || second.signal.aborted) source.exit(EXIT_OF[name]);
    else second.abort(new Interrupted(name));
  };
  const onInt = (): void => receive('SIGINT');
  const onTerm = (): void => receive('SIGTERM');
  source.on('SIGINT', onInt);
  source.on('SIGTERM', onTerm);

  return {
    signal: controller.signal,
    second: () => {
      second ??= new AbortController();
      return second.signal;
    },
    exitCode: () => (first === null ? null : EXIT_OF[first.name]),
    dispose: () => {
      source.off('SIGINT', onInt);
      source.off('SIGTERM', onTerm);
    },
  };
}
