import type { QueueEntry } from './queue-entries.ts';

/** What an entry was when it was last looked at. */
interface Standing {
  readonly status: string;
  /** Attempts that a watchdog gave up. */
  readonly attempted: number;
  readonly claimedBy: string | null;
}
export type Standings = ReadonlyMap<string, Standing>;

/** States into which only a watchdog brings an entry. */
const WORKING: ReadonlySet<string> = new Set(['claimed', 'preflight_checking', 'running', 'finalizing']);
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'timed_out', 'rejected', 'replanned']);

/** Is an entry in a state in which a watchdog has it? */
export function isWorking(status: string | null): boolean {
  return status !== null && WORKING.has(status);
}

/** The entries at one moment; of two with one id the first counts. */
export function standingsOf(entries: readonly QueueEntry[]): Standings {
  const standings = new Map<string, Standing>();
  for (const { id, status, session } of entries) {
    if (id === null || status === null || standings.has(id)) continue;
    const attempted = session?.retry.attempted ?? 0;
    standings.set(id, { status, attempted, claimedBy: session?.claimed_by ?? null });
  }
  return standings;
}

/** The entries that this watchdog has, and the states in which it may have left each. */
type Expected = ReadonlyMap<string, readonly string[]>;

/**
 * What another watchdog did between two looks, in words; null when nothing says that there is one. People and the programs
 * that queue add entries, take them out, and cancel or repeat them: none of that counts. Pure.
 */
export function foreignMove(before: Standings, now: Standings, expected: Expected): string | null {
  for (const [id, is] of now) {
    const was = before.get(id);
    if (was !== undefined && same(was, is)) continue;
    const ours = expected.get(id);
    if (ours !== undefined) {
      if (ours.includes(is.status) || is.status === 'cancelled' || is.status === 'cancelling') continue;
      return `session ${id}, which this host has, is ${is.status} now`;
    }
    if (isWorking(is.status)) return `session ${id} became ${is.status}`;
    if (was === undefined) continue;
    const wasLive = was.status === 'pending' || isWorking(was.status);
    if (ENDED.has(is.status) && wasLive) return `session ${id} went from ${was.status} to ${is.status}`;
    if (is.attempted > was.attempted) return `session ${id} was tried and given back`;
  }
  return null;
}

function same(left: Standing, right: Standing): boolean {
  return (
    left.status === right.status && left.attempted === right.attempted && left.claimedBy === right.claimedBy
  );
}
