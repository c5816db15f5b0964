import * as path from 'node:path';
import { hostFolder } from '../lane/host-folder.ts';
import { readHolder } from '../lane/lane.ts';
import type { LaneHolder } from '../lane/lane-holder.ts';
import { foldLedger, readLedger } from '../lane/ledger.ts';
import { waitersInOrder } from '../lane/tickets.ts';
import { readTextCapped } from '../workspace/atomic-file.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { becomesFree } from '../workspace/lock.ts';
import { readSessionsText } from './sessions-document.ts';
import { atWork, leftOvers, standing } from './snapshot.ts';

/** The host at one moment, for people and for `status --json`. */
export interface HostStatus {
  readonly lane: {
    readonly held: boolean;
    /** Who wrote that it holds the lane; when the lane is free, who held it when it was killed. */
    readonly holder: LaneHolder | null;
    /** Who waits for it, first come first; null for one that did not say who it is. */
    readonly waiting: readonly (LaneHolder | null)[];
  };
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
}

/** Reads lane, queue and ledger; changes nothing. `nowMs` judges left-over entries. */
export async function hostStatus(workspace: string, nowMs: number): Promise<HostStatus> {
  const text = await readTextCapped(path.join(workspace, 'SESSIONS.md'), MAX_DOCUMENT_BYTES);
  const snapshot = readSessionsText(text);
  const pace = { nowMs, slowestTransitionMs: 0 };
  const working = atWork(snapshot, pace);
  const holdings = foldLedger(await readLedger(hostFolder(workspace).ledger));
  const count = (wanted: string): number =>
    snapshot.entries.filter(({ status }) => standing(status) === wanted).length;
  return {
    lane: {
      held: await isHeld(workspace),
      holder: await readHolder(workspace),
      waiting: await waitersInOrder(hostFolder(workspace).tickets),
    },
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
  };
}

/** The run that has the lane now, null when none has. Changes nothing. */
export async function runningRun(workspace: string): Promise<string | null> {
  return (await isHeld(workspace)) ? ((await readHolder(workspace))?.runId ?? null) : null;
}

/** Asks the lane without waiting; a host that never had a benchmark has no lane file, and gets none. */
async function isHeld(workspace: string): Promise<boolean> {
  return !(await becomesFree(hostFolder(workspace).lane, 0));
}
