import * as fs from 'node:fs/promises';
import { acquireLock, type FileLock } from '../files/lock.ts';
import { putFile } from '../workspace/put-file.ts';
import type { HostFolder } from './host-folder.ts';
import { type LaneHolder, MAX_BEHIND } from './lane-holder.ts';
import { type LaneRequest, laneHolder, type Wait, waitFor } from './lane-wait.ts';
import { letsPass } from './line.ts';
import { firstWaiter, type Ticket, takeTicket, waitersInOrder } from './tickets.ts';

/** The right to benchmark on this host, until `release`. The kernel frees it when the process dies. */
export interface Lane {
  readonly waitedMs: number;
  /** Who held it while we waited, null when nobody did. */
  readonly waitedFor: LaneHolder | null;
  /** Tells others that the lane now serves this run of the same program. */
  serve(runId: string): Promise<void>;
  /** Whose turn is next, if this one lets it pass; null: nobody waits, or not for that. */
  wanted(): Promise<LaneHolder | null>;
  /**
   * Gives the lane to those who wait and are let pass, and takes it again right after them, however long that takes.
   * When it rejects the lane is not held any more. Returns the milliseconds it was away.
   * @throws the signal's reason when it aborts first.
   */
  giveWay(signal: AbortSignal): Promise<number>;
  /** Idempotent. */
  release(): Promise<void>;
}

/** The lane in the hands of one program, which may lend it to others. */
export class HeldLane implements Lane {
  readonly waitedMs: number;
  readonly waitedFor: LaneHolder | null;
  readonly #request: LaneRequest;
  readonly #folder: HostFolder;
  #lock: FileLock;
  #runId: string;

  constructor(
    request: LaneRequest,
    folder: HostFolder,
    taken: { readonly lock: FileLock } & Pick<Lane, 'waitedMs' | 'waitedFor'>,
  ) {
    this.#request = request;
    this.#folder = folder;
    this.#lock = taken.lock;
    this.waitedMs = taken.waitedMs;
    this.waitedFor = taken.waitedFor;
    this.#runId = request.runId;
  }

  /** For people only: a full disk must not keep `clean` from taking things out. */
  async serve(runId: string): Promise<void> {
    this.#runId = runId;
    await writeHolder(this.#folder.holder, this.#me()).catch(() => undefined);
  }

  async wanted(): Promise<LaneHolder | null> {
    const next = (await firstWaiter(this.#folder.tickets))?.holder ?? null;
    return letsPass(this.#me(), next) ? next : null;
  }

  async giveWay(signal: AbortSignal): Promise<number> {
    const beganMs = this.#request.clock.now();
    const request = { ...this.#request, runId: this.#runId, waitMs: Number.POSITIVE_INFINITY, signal };
    const wait: Wait = { request, folder: this.#folder, beganMs, waitedFor: null };
    // Nobody may find the lane free before this one stands in the line again.
    const ticket = await this.#placeBehind(signal);
    try {
      await this.release();
      this.#lock = await waitFor(wait, ticket);
      await this.serve(this.#runId);
    } finally {
      await ticket.leave();
    }
    return this.#request.clock.now() - beganMs;
  }

  async release(): Promise<void> {
    if (this.#lock.isHeld) await release(this.#lock, this.#folder.holder);
  }

  /** Right after those who wait now and are let pass. */
  async #placeBehind(signal: AbortSignal): Promise<Ticket> {
    const { tickets, ticketLock } = this.#folder;
    const giving = await acquireLock(ticketLock, { signal });
    try {
      const waiters = await waitersInOrder(tickets);
      const others = waiters.findIndex(({ holder }) => !letsPass(this.#me(), holder));
      const passing = others < 0 ? waiters : waiters.slice(0, others);
      const behind = passing.map(({ name }) => name).slice(-MAX_BEHIND);
      return await takeTicket(tickets, { ...this.#me(), behind });
    } finally {
      giving.release();
    }
  }

  #me(): LaneHolder {
    return { ...laneHolder(this.#request), runId: this.#runId };
  }
}

async function writeHolder(file: string, holder: LaneHolder): Promise<void> {
  await putFile(file, `${JSON.stringify(holder)}\n`);
}

async function release(lock: FileLock, holder: string): Promise<void> {
  await fs.rm(holder, { force: true });
  lock.release();
}
