import { errorOf, type RbError } from '../errors/rb-error.ts';
import { becomesFree, type FileLock } from '../files/lock.ts';
import type { Clock, Log } from '../platform/ports.ts';
import type { HostFolder } from './host-folder.ts';
import { holderText, type LaneHolder, readHolder } from './lane-holder.ts';
import type { Purpose } from './line.ts';
import { nextInFront, placesInFront, type Ticket } from './tickets.ts';
import { tryLock } from './try-lock.ts';

/** How often a waiter says again whom it waits for. */
const REPORT_EVERY_MS = 30_000;

export interface LaneRequest {
  /** Absolute. */
  readonly workspace: string;
  readonly runId: string;
  /** Longest wait in milliseconds; 0 tries once. */
  readonly waitMs: number;
  /** Why it wants the lane; left out: it does not say, and passes nobody. */
  readonly purpose?: Purpose;
  /** Whom it lets pass, waiting or at work; left out: nobody. */
  readonly yieldsTo?: readonly Purpose[];
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** One attempt at the lane. */
export interface Wait {
  readonly request: LaneRequest;
  readonly folder: HostFolder;
  readonly beganMs: number;
  /** Who held it at the last look. */
  waitedFor: LaneHolder | null;
}

/** Each waiter waits for the one in front to leave, the first one for the lane. */
export async function waitFor(wait: Wait, ticket: Ticket): Promise<FileLock> {
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
      // Somebody may have come meanwhile who is let pass.
      if (lock !== null && (await nextInFront(folder.tickets, ticket.name)) === null) return lock;
      lock?.release();
    } else {
      await becomesFree(front, slice, signal);
    }
    signal?.throwIfAborted();
    if (clock.now() - beganMs >= waitMs) throw await busy(wait);
  }
}

/** What a program says of itself in the line and as the holder. */
export function laneHolder({ runId, clock, purpose, yieldsTo = [] }: LaneRequest): LaneHolder {
  const who = { runId, pid: process.pid, since: new Date(clock.now()).toISOString() };
  return { ...who, ...(purpose === undefined ? {} : { purpose, yieldsTo: [...yieldsTo] }) };
}

function aheadText(ahead: number): string {
  return ahead === 0 ? '' : `, ${ahead} ${ahead === 1 ? 'other waits' : 'others wait'} in front of us`;
}

/** Another one keeps the lane. */
export async function busy({ request, folder, beganMs }: Wait): Promise<RbError> {
  const holder = await readHolder(request.workspace);
  const waited = seconds(request.clock.now() - beganMs);
  return errorOf('RB401', {
    where: folder.lane,
    message: `The host is busy: ${holderText(holder)}. Waited ${waited} s, nothing was written.`,
    fix: 'Wait for that run, or raise `lane-wait`. `rollout-bench status` shows what it does and who waits.',
  });
}

function seconds(ms: number): string {
  return String(Math.round(ms / 1000));
}
