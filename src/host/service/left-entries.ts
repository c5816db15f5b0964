import { isWorking } from './foreign-moves.ts';
import type { QueueEntry } from './queue-entries.ts';

/** Beyond an entry's own time limit it counts as left behind; states of moments have this time alone. */
const GRACE_MS = 120_000;

/**
 * An entry that another watchdog may still run: at work, not ours, and within its time. Nothing may be taken before it ends,
 * because the simulator may be the same. Null when there is none. Pure.
 */
export function leftByOthers(
  entries: readonly QueueEntry[],
  isOurs: (id: string) => boolean,
  nowMs: number,
): { readonly reason: string; readonly untilMs: number } | null {
  let latest: { reason: string; untilMs: number } | null = null;
  for (const { id, status, session } of entries) {
    if (!isWorking(status) || (id !== null && isOurs(id))) continue;
    const stamp = session?.updated_at ?? null;
    // An entry without a stamp was never moved by a watchdog.
    if (session === null || stamp === null) continue;
    const limitMs = status === 'running' ? session.timeouts.execute_timeout_s.value * 1000 : 0;
    const untilMs = Date.parse(stamp) + limitMs + GRACE_MS;
    if (!(untilMs > nowMs) || (latest !== null && latest.untilMs >= untilMs)) continue;
    const until = new Date(Math.min(untilMs, 8.64e15)).toISOString();
    const reason = `session ${id} is ${status} since ${stamp}, and another watchdog may run it; nothing is taken before it ends, or ${until}`;
    latest = { reason, untilMs };
  }
  return latest;
}
