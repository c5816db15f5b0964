import { RbError } from '../errors/rb-error.ts';
import type { Clock } from '../platform/ports.ts';
import { probePolicy } from '../policy/probe.ts';

const PROBE_MS = 20_000;
const RETRY_MS = 500;

interface AnswerRequest {
  readonly endpoint: string;
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/**
 * Asks a policy until it sends its metadata.
 * @returns null when it did or the signal aborted, else what was found there last, in words.
 */
export async function untilAnswer({
  endpoint,
  waitMs,
  clock,
  signal,
}: AnswerRequest): Promise<string | null> {
  const deadline = clock.now() + waitMs;
  let found = 'no answer';
  while (!signal.aborted) {
    // What accepts connections and never speaks does not stretch the wait.
    const timeoutMs = Math.min(PROBE_MS, Math.max(deadline - clock.now(), RETRY_MS));
    try {
      await probePolicy(endpoint, { timeoutMs, signal });
      return null;
    } catch (error) {
      found = error instanceof RbError ? (error.problems[0]?.message ?? found) : String(error);
    }
    if (clock.now() >= deadline) return signal.aborted ? null : found;
    await clock.sleep(RETRY_MS, signal);
  }
  return null;
}
