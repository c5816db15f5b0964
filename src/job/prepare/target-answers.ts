import { describeTarget } from '../../describe/client.ts';
import { RbError } from '../../errors/rb-error.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { complaintText } from './complaint-text.ts';
import { describedOrNot } from './discover.ts';

const PROBE_TIMEOUT_MS = 30_000;
const PROBE_EVERY_MS = 5_000;

/** Does the target answer? `null` is yes, also for a target inside the runtime, which has nothing to ask. */
export async function targetAnswers(endpoint: string | null, signal: AbortSignal): Promise<string | null> {
  if (endpoint === null) return null;
  try {
    const timeouts = { connectTimeoutMs: PROBE_TIMEOUT_MS, answerTimeoutMs: PROBE_TIMEOUT_MS };
    await describedOrNot(describeTarget(endpoint, { ...timeouts, signal }));
    return null;
  } catch (error) {
    return isLeftAtBadTask(error) ? null : complaintText(error);
  }
}

/**
 * A session of an unknown suite or task leaves a server in a state where it answers and cannot describe itself until any
 * good session has run.
 */
export function isLeftAtBadTask(error: unknown): boolean {
  return (
    error instanceof RbError &&
    error.problems.some(({ code, message }) => code === 'RB322' && /\b(?:Key|Index)Error\b/.test(message))
  );
}

interface TargetWait {
  readonly endpoint: string | null;
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Waits for a target that may just be restarting; returns in any case, what asks next tells what is wrong. */
export async function untilTargetAnswers({
  endpoint,
  waitMs,
  clock,
  log,
  signal,
}: TargetWait): Promise<void> {
  const until = clock.now() + waitMs;
  for (;;) {
    const answer = await targetAnswers(endpoint, signal);
    if (answer === null || signal.aborted || clock.now() >= until) return;
    log.info(`Waiting for the target: ${answer}`);
    await clock.sleep(Math.min(PROBE_EVERY_MS, Math.max(0, until - clock.now())), signal);
  }
}
