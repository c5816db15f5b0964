import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { becomesFree, type FileLock } from '../files/lock.ts';
import { type LaneHolder, readHolderFile } from './lane-holder.ts';
import { lineOf, type Waiter } from './line.ts';
import { tryLock } from './try-lock.ts';

/** Nobody but its owner wants a new ticket's lock, except somebody who looks whether it is held. */
const OWN_LOCK_MS = 5_000;

/**
 * A place in the line before the lane: a file whose lock its waiter holds, so that the kernel says who is still there.
 * A dead waiter's ticket is passed over and removed.
 */
export interface Ticket {
  readonly name: string;
  leave(): Promise<void>;
}

/** Takes the last place in an existing folder of tickets. The lock on giving them out must be held. */
export async function takeTicket(folder: string, waiter: LaneHolder): Promise<Ticket> {
  const name = nextTicket(await ticketFiles(folder), randomBytes(4).toString('hex'));
  const file = path.join(folder, name);
  const lock = await tryLock(file, OWN_LOCK_MS);
  if (lock === null) throw new Error(`a new ticket is locked by another: ${name}`);
  // For people only; a full disk must not keep anybody from waiting.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  await fs.writeFile(file, `${JSON.stringify(waiter)}\n`, { flag }).catch(() => undefined);
  return { name, leave: () => leave(file, lock) };
}

/** First the name, then the lock: a ticket that others can see is held by its waiter. */
async function leave(file: string, lock: FileLock): Promise<void> {
  await fs.rm(file, { force: true });
  lock.release();
}

/**
 * The nearest waiter in front of `own` (the last of all for null) that is still there, as an absolute path; null when
 * there is none. Tickets of dead ones on the way are removed. Names are never used again, so this can hit no new one.
 */
export async function nextInFront(folder: string, own: string | null): Promise<string | null> {
  for (const { name } of inFront(await line(folder), own).toReversed()) {
    const file = path.join(folder, name);
    if (!(await becomesFree(file, 0))) return file;
    await fs.rm(file, { force: true });
    // Without it others may stand elsewhere.
    return nextInFront(folder, own);
  }
  return null;
}

/** Whose turn is next of those that are there; undefined when nobody waits. Changes nothing. */
export async function firstWaiter(folder: string): Promise<Waiter | undefined> {
  for (const waiter of await line(folder))
    if (!(await becomesFree(path.join(folder, waiter.name), 0))) return waiter;
  return undefined;
}

/** How many tickets are in front of `own`. Counts, asks nobody. */
export async function placesInFront(folder: string, own: string): Promise<number> {
  return inFront(await line(folder), own).length;
}

/** Who waits now, whose turn is next first. Changes nothing. */
export async function waitersInOrder(folder: string): Promise<readonly Waiter[]> {
  const waiters: Waiter[] = [];
  for (const waiter of await line(folder))
    if (!(await becomesFree(path.join(folder, waiter.name), 0))) waiters.push(waiter);
  return waiters;
}

/** Everybody with a ticket, dead ones too. */
async function line(folder: string): Promise<readonly Waiter[]> {
  const names = inOrder(await ticketFiles(folder));
  const waiters = names.map(async (name) => {
    return { name, holder: await readHolderFile(path.join(folder, name)) };
  });
  return lineOf(await Promise.all(waiters));
}

async function ticketFiles(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** A ticket file: number in the order of arrival, then letters that make the name unique for ever. */
const TICKET = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** Ticket files in the order in which they were given out; names of others are left out. Pure. */
export function inOrder(names: readonly string[]): readonly string[] {
  return names.filter((name) => TICKET.test(name)).toSorted();
}

/**
 * The name of the next ticket. It comes after every one that is there, dead ones included, so that whoever waits stays
 * in front of whoever comes. Pure.
 * @param letters eight hex digits, by chance.
 */
export function nextTicket(names: readonly string[], letters: string): string {
  const last = TICKET.exec(inOrder(names).at(-1) ?? '')?.[1] ?? '0';
  return `${String(Number(last) + 1).padStart(12, '0')}-${letters}.json`;
}

/** Everybody in front of `own`, the nearest last; null has everybody in front. Pure. */
function inFront(all: readonly Waiter[], own: string | null): readonly Waiter[] {
  const at = all.findIndex(({ name }) => name === own);
  return own === null ? all : all.slice(0, Math.max(0, at));
}
