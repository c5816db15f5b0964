import type { Clock } from '../platform/ports.ts';
import { type Mark, processesOf } from './proc.ts';

/** Between two looks at what is left. */
const LOOK_MS = 50;
/** Nothing survives SIGKILL but a process that waits for a device, and one that multiplies faster than it is ended. */
const KILL_MS = 10_000;

interface EndOptions {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly clock: Clock;
}

/**
 * Ends every process of a command: asks first, then forces.
 * @returns the ids of those that are there still; empty is the rule.
 */
export async function endProcesses(mark: Mark, { graceMs, clock }: EndOptions): Promise<readonly number[]> {
  let left = processesOf(mark);
  if (left.length === 0) return left;
  for (const pid of left) send(pid, 'SIGTERM');
  // One that was stopped takes a signal only when it goes on.
  for (const pid of left) send(pid, 'SIGCONT');
  left = await untilGone(mark, { forMs: graceMs, clock });
  if (left.length === 0) return left;
  return untilGone(mark, { forMs: KILL_MS, clock, signal: 'SIGKILL' });
}

async function untilGone(
  mark: Mark,
  { forMs, clock, signal }: { forMs: number; clock: Clock; signal?: 'SIGKILL' },
): Promise<readonly number[]> {
  const until = clock.now() + forMs;
  for (;;) {
    const left = processesOf(mark);
    if (left.length === 0 || clock.now() >= until) return left;
    if (signal !== undefined) for (const pid of left) send(pid, signal);
    await clock.sleep(LOOK_MS);
  }
}

/** One that has gone meanwhile, or belongs to another user, is seen at the next look. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // As above.
  }
}
