import {
  latestMove,
  perhapsAtWork,
  type QueueEntry,
  type QueueSnapshot,
  RUNNING_GRACE_MS,
  timeAllowedMs,
} from './snapshot.ts';

/** One moment of a workspace, as far as it tells whether the watchdog lives. Times in milliseconds since 1970. */
export interface Moment {
  readonly nowMs: number;
  readonly snapshot: QueueSnapshot;
  /** Last change of SESSIONS.md and of LOG.md by anybody; null when the file is not there. */
  readonly changedMs: readonly (number | null)[];
}

/**
 * A session of `ours` whose outcome is unknown: at work for longer than its state allows, while for the grace nothing at
 * all has moved, so that the watchdog neither ends it nor goes on to another. Null while there is none. Pure.
 * @param limitMs time limit of a session whose entry does not tell its own.
 */
export function stuckSession(ours: ReadonlySet<string>, moment: Moment, limitMs: number): QueueEntry | null {
  const { nowMs, snapshot, changedMs } = moment;
  const moves = [latestMove(snapshot), ...changedMs].filter((at) => at !== null);
  const stuck = perhapsAtWork(snapshot).find((entry) => {
    if (!ours.has(entry.id)) return false;
    const since = entry.updatedMs ?? Math.max(...moves);
    const deadline = since + (timeAllowedMs(entry, snapshot) ?? limitMs);
    return nowMs - Math.max(deadline, ...moves) > RUNNING_GRACE_MS;
  });
  return stuck ?? null;
}

/** What is known about a stuck session, as a sentence without its full stop. Pure. */
export function stuckText(entry: QueueEntry): string {
  const since = entry.updatedAt === null ? '' : ` since ${entry.updatedAt}`;
  return `It is ${entry.status}${since}, longer than that may last, and nothing in SESSIONS.md or LOG.md has moved meanwhile`;
}
