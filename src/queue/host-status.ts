import * as path from 'node:path';
import { attemptFolder, BUNDLE_FILES } from '../bundle/layout.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { isThere } from '../files/is-there.ts';
import { becomesFree } from '../files/lock.ts';
import { type FenceState, readFence } from '../lane/fence.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { type LaneHolder, readHolder } from '../lane/lane-holder.ts';
import { foldLedger, type LedgerRecord, readLedger } from '../lane/ledger.ts';
import { waitersInOrder } from '../lane/tickets.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { atWork, leftOvers, standing } from './machine/snapshot.ts';
import { OwnWatchdog } from './own-watchdog.ts';
import { readSessionsText } from './sessions-document.ts';

/** The host at one moment, for people and for `status --json`. */
export interface HostStatus {
  readonly lane: {
    readonly held: boolean;
    /** Who wrote that it holds the lane; when the lane is free, who held it when it was killed. */
    readonly holder: LaneHolder | null;
    /** Who waits for it, whose turn is next first; null for one that did not say who it is. */
    readonly waiting: readonly (LaneHolder | null)[];
  };
  /** Whether a session of unknown outcome keeps benchmarks off this host. */
  readonly fence: FenceState;
  readonly queue: {
    /** Why SESSIONS.md cannot be read, null when it can. */
    readonly fault: string | null;
    readonly bytes: number;
    readonly pending: number;
    readonly terminal: number;
    readonly working: { readonly id: string; readonly status: string; readonly since: string | null } | null;
    readonly leftOver: readonly string[];
  };
  /** What the ledger says is ours and still there. */
  readonly ours: {
    readonly sessions: readonly {
      readonly id: string;
      readonly runId: string;
      readonly status: string | null;
    }[];
    readonly cellTargets: readonly string[];
  };
  /** The newest run here when its attempt did not come to its end, and how it ended; null otherwise. */
  readonly unfinished: {
    readonly runId: string;
    readonly attempt: number;
    readonly ending: string;
    /** The command that goes on with it; null where an earlier version began it. */
    readonly again: string | null;
  } | null;
}

/** The newest run of a workspace when its attempt did not come to its end. Changes nothing. */
export async function lastUnfinished(workspace: string): Promise<HostStatus['unfinished']> {
  return unfinishedRun(workspace, await readLedger(hostFolder(workspace).ledger));
}

/** Reads lane, queue and ledger; changes nothing. `nowMs` judges left-over entries. */
export async function hostStatus(workspace: string, nowMs: number): Promise<HostStatus> {
  const text = await readTextCapped(path.join(workspace, 'SESSIONS.md'), MAX_DOCUMENT_BYTES);
  const snapshot = readSessionsText(text, await new OwnWatchdog(workspace).sessions(nowMs));
  const pace = { nowMs, slowestTransitionMs: 0 };
  const working = atWork(snapshot, pace);
  const records = await readLedger(hostFolder(workspace).ledger);
  const holdings = foldLedger(records);
  const count = (wanted: string): number =>
    snapshot.entries.filter(({ status }) => standing(status) === wanted).length;
  return {
    lane: {
      held: await isHeld(workspace),
      holder: await readHolder(workspace),
      waiting: (await waitersInOrder(hostFolder(workspace).tickets)).map(({ holder }) => holder),
    },
    fence: await readFence(workspace),
    queue: {
      fault: snapshot.fault,
      bytes: snapshot.bytes,
      pending: count('pending'),
      terminal: count('terminal'),
      working: working === null ? null : { id: working.id, status: working.status, since: working.updatedAt },
      leftOver: leftOvers(snapshot, pace).map(({ id }) => id),
    },
    ours: {
      sessions: [...holdings.sessions.values()].map(({ sessionId, runId }) => {
        return { id: sessionId, runId, status: snapshot.byId.get(sessionId)?.status ?? null };
      }),
      cellTargets: [...holdings.cellTargets.keys()],
    },
    unfinished: await unfinishedRun(workspace, records),
  };
}

async function unfinishedRun(
  workspace: string,
  records: readonly LedgerRecord[],
): Promise<HostStatus['unfinished']> {
  const last = records.findLast((record) => record.type === 'run' && record.bundleDir !== null);
  if (last?.type !== 'run') return null;
  const { runId, attempt, again = null } = last;
  const folder = attemptFolder(runId, attempt).split('/');
  const { markerText, readMarkers } = await import('../bundle/markers.ts');
  const ending =
    markerText(await readMarkers(workspace, folder)) ?? (await unmarked(workspace, folder, runId));
  return ending === null ? null : { runId, attempt, ending, again };
}

/** How an attempt ended that left neither a marker nor a seal; null where it is at work, sealed or gone. */
async function unmarked(workspace: string, folder: readonly string[], runId: string): Promise<string | null> {
  const place = (name: string): string => path.join(workspace, ...folder, name);
  if (!(await isThere(place(BUNDLE_FILES.journal))) || (await isThere(place(BUNDLE_FILES.manifest))))
    return null;
  if ((await runningRun(workspace)) === runId) return null;
  const { lastRecord } = await import('../journal/last-record.ts');
  const last = await lastRecord(place(BUNDLE_FILES.journal));
  if (last?.event.type === 'ended' && last.event.end !== 'complete')
    return `${last.event.end} since ${last.at}`;
  const heard = last === null ? '' : `, last heard of at ${last.at}`;
  return `died without a word (killed, or the machine went down)${heard}`;
}

/** The run that has the lane now, null when none has. Changes nothing. */
export async function runningRun(workspace: string): Promise<string | null> {
  return (await isHeld(workspace)) ? ((await readHolder(workspace))?.runId ?? null) : null;
}

/** Asks the lane without waiting; a host that never had a benchmark has no lane file, and gets none. */
async function isHeld(workspace: string): Promise<boolean> {
  return !(await becomesFree(hostFolder(workspace).lane, 0));
}
