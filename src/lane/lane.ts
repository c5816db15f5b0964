import * as fs from 'node:fs/promises';
import { EXIT, failure, type RbError } from '../errors/rb-error.ts';
import { makeFolder } from '../files/durable-lines.ts';
import { becomesFree, type FileLock } from '../files/lock.ts';
import { errorCode, fileFailure } from '../files/problems.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { putFile } from '../workspace/put-file.ts';
import { requireWorkspace } from '../workspace/workspace-folder.ts';
import { type HostFolder, hostFolder } from './host-folder.ts';
import { holderName, type LaneHolder, readHolderFile } from './lane-holder.ts';
import { nextInFront, placesInFront, type Ticket, takeTicket } from './tickets.ts';
import { tryLock } from './try-lock.ts';

/** How often a waiter says again whom it waits for. */
const REPORT_EVERY_MS = 30_000;
/** The lock on giving out tickets is held for moments; even who does not wait for the lane waits for that. */
const TICKET_LOCK_MS = 2_000;

interface LaneRequest {
  /** Absolute. */
  readonly workspace: string;
  readonly runId: string;
  /** Longest wait in milliseconds; 0 tries once. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** The right to benchmark on this host, until `release`. The kernel frees it when the process dies. */
export interface Lane {
  readonly waitedMs: number;
  /** Who held it while we waited, null when nobody did. */
  readonly waitedFor: LaneHolder | null;
  /** Tells others that the lane now serves this run of the same program. */
  serve(runId: string): Promise<void>;
  release(): Promise<void>;
}

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

/** One attempt at the lane. */
interface Wait {
  readonly request: LaneRequest;
  readonly folder: HostFolder;
  readonly beganMs: number;
  /** Who held it at the last look. */
  waitedFor: LaneHolder | null;
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
    return { kind: 'wait', ticket: await takeTicket(folder.tickets, me(request)) };
  } finally {
    giving.release();
  }
}

/** Each waiter waits for the one in front to leave, the first one for the lane. */
async function waitFor(wait: Wait, ticket: Ticket): Promise<FileLock> {
  const { request, folder, beganMs } = wait;
  const { clock, signal, waitMs, log } = request;
  for (;;) {
    const front = await nextInFront(folder.tickets, ticket.name);
    wait.waitedFor = (await readHolder(request.workspace)) ?? wait.waitedFor;
    const waited = clock.now() - beganMs;
    const ahead = front === null ? 0 : await placesInFront(folder.tickets, ticket.name);
    log.info(
      `Waiting for the host: ${holderText(wait.waitedFor)}${aheadText(ahead)}; ${seconds(waited)} s so far.`,
    );
    const slice = Math.max(0, Math.min(REPORT_EVERY_MS, waitMs - waited));
    if (front === null) {
      const lock = await tryLock(folder.lane, slice, signal);
      if (lock !== null) return lock;
    } else {
      await becomesFree(front, slice, signal);
    }
    signal?.throwIfAborted();
    if (clock.now() - beganMs >= waitMs) throw await busy(wait);
  }
}

async function hold({ request, folder, beganMs, waitedFor }: Wait, lock: FileLock): Promise<Lane> {
  const holder = me(request);
  // For people only: a full disk must not keep `clean` from taking things out.
  const tell = (runId: string): Promise<void> =>
    writeHolder(folder.holder, { ...holder, runId }).catch(() => undefined);
  await tell(request.runId);
  return {
    waitedMs: request.clock.now() - beganMs,
    waitedFor,
    serve: tell,
    release: () => release(lock, folder.holder),
  };
}

function me({ runId, clock }: LaneRequest): LaneHolder {
  return { runId, pid: process.pid, since: new Date(clock.now()).toISOString() };
}

/** Who holds the lane, as the holder wrote it; null when nobody is known. The file may outlive its writer. */
export function readHolder(workspace: string): Promise<LaneHolder | null> {
  return readHolderFile(hostFolder(workspace).holder);
}

/** `run X (process 123) holds it since …` */
export function holderText(holder: LaneHolder | null): string {
  return holder === null
    ? `${holderName(holder)} holds it`
    : `${holderName(holder)} holds it since ${holder.since}`;
}

function aheadText(ahead: number): string {
  return ahead === 0 ? '' : `, ${ahead} ${ahead === 1 ? 'other waits' : 'others wait'} in front of us`;
}

async function makeHostFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw fileFailure(folder, 'make the folder', error);
  }
}

async function writeHolder(file: string, holder: LaneHolder): Promise<void> {
  await putFile(file, `${JSON.stringify(holder)}\n`);
}

async function release(lock: FileLock, holder: string): Promise<void> {
  await fs.rm(holder, { force: true });
  lock.release();
}

async function busy({ request, folder, beganMs }: Wait): Promise<RbError> {
  const holder = await readHolder(request.workspace);
  const waited = seconds(request.clock.now() - beganMs);
  return failure(EXIT.busy, {
    code: 'RB401',
    where: folder.lane,
    message: `The host is busy: ${holderText(holder)}. Waited ${waited} s, nothing was written.`,
    fix: 'Wait for that run, or raise `lane-wait`. `rollout-bench status` shows what it does and who waits.',
  });
}

function seconds(ms: number): string {
  return String(Math.round(ms / 1000));
}
