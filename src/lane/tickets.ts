import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { becomesFree, type FileLock } from '../files/lock.ts';
import { type LaneHolder, readHolderFile } from './lane-holder.ts';
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
  const names = await ticketFiles(folder);
  for (const name of own === null ? inOrder(names).toReversed() : inFront(names, own)) {
    const file = path.join(folder, name);
    if (!(await becomesFree(file, 0))) return file;
    await fs.rm(file, { force: true });
  }
  return null;
}

/** How many tickets are in front of `own`. Counts, asks nobody. */
export async function placesInFront(folder: string, own: string): Promise<number> {
  return inFront(await ticketFiles(folder), own).length;
}

/** Who waits now, first come first; null for one whose file says nothing. Changes nothing. */
export async function waitersInOrder(folder: string): Promise<readonly (LaneHolder | null)[]> {
  const waiters: (LaneHolder | null)[] = [];
  for (const name of inOrder(await ticketFiles(folder))) {
    const file = path.join(folder, name);
    const holder = await readHolderFile(file);
    if (!(await becomesFree(file, 0))) waiters.push(holder);
  }
  return waiters;
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

/** Tickets in front of `own`, the nearest first. Pure. */
export function inFront(names: readonly string[], own: string): readonly string[] {
  return inOrder(names)
    .filter((name) => name < own)
    .toReversed();
}
