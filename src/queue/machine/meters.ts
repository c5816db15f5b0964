import { latestMove, type QueueEntry, type QueueSnapshot } from './snapshot.ts';

/** What is at work in the queue, and whether it is ours. */
export interface View {
  readonly snapshot: QueueSnapshot;
  readonly working: QueueEntry | null;
  readonly workingIsOurs: boolean;
  /** What our own watchdog says how many sessions it can use at once; null: as the run is told. */
  readonly window: number | null;
  /** Who waits for the lane and passes, in words; null: nobody. */
  readonly wanted: string | null;
}

/** Times in milliseconds, moments by the run's clock. */
export interface Meters {
  readonly beganMs: number;
  readonly foreignMs: number;
  readonly pausedMs: number;
  readonly lockMs: number;
  /** The lane was lent so often, for so long; no part of any other time. */
  readonly yields: number;
  readonly yieldedMs: number;
  readonly slowestTransitionMs: number;
  /** When something last moved in the queue, or we queued something. */
  readonly lastMoveMs: number;
  /** Latest stamp of any entry ever seen. */
  readonly latestStampMs: number | null;
  readonly lastLookMs: number;
  readonly foreignRan: boolean;
  /** The entry at work at the last look. */
  readonly lastWorking: { readonly id: string; readonly status: string; readonly updatedMs: number } | null;
  /** What `diagnose` last said, while nothing moved. */
  readonly diagnosis: {
    readonly of: 'disk' | 'all';
    readonly askedMs: number;
    readonly answer: string | null;
  };
}

export function startMeters(nowMs: number): Meters {
  return {
    beganMs: nowMs,
    foreignMs: 0,
    pausedMs: 0,
    lockMs: 0,
    yields: 0,
    yieldedMs: 0,
    slowestTransitionMs: 0,
    lastMoveMs: nowMs,
    latestStampMs: null,
    lastLookMs: nowMs,
    foreignRan: false,
    lastWorking: null,
    diagnosis: { of: 'all', askedMs: 0, answer: null },
  };
}

/** Foreign time, movement and the watchdog's pace, from this look and the one before. */
export function measured(before: Meters, { snapshot, working, workingIsOurs }: View, nowMs: number): Meters {
  const latest = latestMove(snapshot);
  const moved = latest !== null && (before.latestStampMs === null || latest > before.latestStampMs);
  const last = before.lastWorking;
  // Two stamps of one entry that did not run an episode between them measure one transition.
  const transitionMs =
    working?.updatedMs != null && last?.id === working.id && last.status !== 'running'
      ? working.updatedMs - last.updatedMs
      : 0;
  return {
    ...before,
    foreignMs: before.foreignMs + (before.foreignRan ? nowMs - before.lastLookMs : 0),
    foreignRan: working !== null && !workingIsOurs,
    lastLookMs: nowMs,
    latestStampMs: moved ? latest : before.latestStampMs,
    lastMoveMs: moved || working !== null ? nowMs : before.lastMoveMs,
    slowestTransitionMs: Math.max(before.slowestTransitionMs, transitionMs),
    lastWorking:
      working?.updatedMs == null
        ? null
        : { id: working.id, status: working.status, updatedMs: working.updatedMs },
  };
}
