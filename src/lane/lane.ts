import { errorCode } from '../base/error-code.ts';
import { makeFolder } from '../files/durable-lines.ts';
import type { FileLock } from '../files/lock.ts';
import { fileFailure } from '../files/problems.ts';
import { requireWorkspace } from '../workspace/workspace-folder.ts';
import { HeldLane, type Lane } from './held-lane.ts';
import { hostFolder } from './host-folder.ts';
import { busy, type LaneRequest, laneHolder, type Wait, waitFor } from './lane-wait.ts';
import { nextInFront, type Ticket, takeTicket } from './tickets.ts';
import { tryLock } from './try-lock.ts';

/** The lock on giving out tickets is held for moments; even who does not wait for the lane waits for that. */
const TICKET_LOCK_MS = 2_000;

/**
 * Takes the lane (flock on `.host/lane`). Who finds it taken waits in the order of arrival; a waiter that dies loses its
 * place, and a program that knows only the lock is excluded all the same.
 * @throws RbError RB231, RB213 or RB219 when the workspace cannot be written to, RB401 with exit code 75 when another run
 * keeps it for the whole wait, or others wait when there is no time to wait; nothing is left then. The signal's reason
 * when it aborts first.
 */
export async function takeLane(request: LaneRequest): Promise<Lane> {
  const { workspace, clock } = request;
  const wait: Wait = { request, folder: hostFolder(workspace), beganMs: clock.now(), waitedFor: null };
  await requireWorkspace(workspace);
  await makeHostFolder(wait.folder.tickets);
  const way = await enter(wait);
  if (way.kind === 'lane') return hold(wait, way.lock);
  try {
    return await hold(wait, await waitFor(wait, way.ticket));
  } finally {
    await way.ticket.leave();
  }
}

type Way =
  | { readonly kind: 'lane'; readonly lock: FileLock }
  | { readonly kind: 'wait'; readonly ticket: Ticket };

/** The lane when it is free and nobody waits for it; else a place in the line. */
async function enter(wait: Wait): Promise<Way> {
  const { request, folder } = wait;
  const { signal, waitMs } = request;
  const giving = await tryLock(folder.ticketLock, Math.max(waitMs, TICKET_LOCK_MS), signal);
  signal?.throwIfAborted();
  if (giving === null) throw await busy(wait);
  try {
    if ((await nextInFront(folder.tickets, null)) === null) {
      const lock = await tryLock(folder.lane, 0, signal);
      if (lock !== null) return { kind: 'lane', lock };
    }
    if (waitMs <= 0) throw await busy(wait);
    return { kind: 'wait', ticket: await takeTicket(folder.tickets, laneHolder(request)) };
  } finally {
    giving.release();
  }
}

async function hold(wait: Wait, lock: FileLock): Promise<Lane> {
  const { request, folder, beganMs, waitedFor } = wait;
  const waited = { waitedMs: request.clock.now() - beganMs, waitedFor };
  const held = new HeldLane(request, folder, { lock, ...waited });
  await held.serve(request.runId);
  return held;
}

async function makeHostFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw fileFailure(folder, 'make the folder', error);
  }
}
