import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { problemLine } from '../../errors/rb-error.ts';
import type { Dialect } from '../../workspace/dialect.ts';
import { freeBytes } from '../disk-problems.ts';
import { readQueueDocuments } from '../prepare/documents.ts';

/** With less, a rewrite of SESSIONS.md and a line of the journal no longer fit for certain. */
const FULL_DISK_BYTES = 8 * 1024 * 1024;

/** What the runtime reads before it does anything. */
const DOCUMENTS = ['SESSIONS.md', 'TARGETS.md', 'SKILLRUNTIME.md'];

/** Why the runtime would do nothing with the documents as they are, by its own rules; null when it would accept them. */
export async function whyRefused(workspace: string, dialect: Dialect | null = null): Promise<string | null> {
  const { targets, skillruntimes, sessions } = await readQueueDocuments(workspace, dialect);
  const problems = [...targets.problems, ...skillruntimes.problems, ...sessions.problems];
  const fatal = problems.find(({ severity }) => severity === 'fatal');
  return fatal === undefined ? null : `the runtime refuses a document: ${problemLine(fatal)}`;
}

/**
 * Asks again and again why nothing moves, as far as a client can know: a full disk, which ends a watchdog, and documents
 * that the runtime refuses. Documents that did not change are not read again: with thousands of entries that takes a second.
 */
export function nothingMovesIn(
  workspace: string,
  dialect: Dialect | null = null,
): (of?: 'disk' | 'all') => Promise<string | null> {
  let known: { readonly identity: string; readonly why: string | null } | null = null;
  return async (of = 'all') => {
    const free = await freeBytes(workspace);
    if (free !== null && free < FULL_DISK_BYTES)
      return `the disk is full (${Math.floor(free / 1024)} kB free), so neither the watchdog nor this run can write; free some room, and start the watchdog again if it has ended`;
    if (of === 'disk') return null;
    const identity = await identityOf(workspace);
    if (known?.identity !== identity) known = { identity, why: await whyRefused(workspace, dialect) };
    return known.why;
  };
}

async function identityOf(workspace: string): Promise<string> {
  const each = DOCUMENTS.map(async (name) => {
    const stats = await fs.stat(path.join(workspace, name), { bigint: true }).catch(() => null);
    return stats === null ? 'absent' : `${stats.dev}:${stats.ino}:${stats.mtimeNs}:${stats.size}`;
  });
  return (await Promise.all(each)).join(' ');
}
