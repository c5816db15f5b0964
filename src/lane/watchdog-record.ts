import * as z from 'zod';
import { readTextCapped, replaceFile } from '../files/atomic-file.ts';
import { becomesFree } from '../files/lock.ts';
import { isAbsent } from '../files/problems.ts';
import { hostFolder } from './host-folder.ts';

/** Thousands of claims would fit; a host has a few simulators. */
const MAX_RECORD_BYTES = 1024 * 1024;

const text = z.string().max(4000);

const recordSchema = z.object({
  schema: z.literal('rollout-bench/watchdog/1'),
  pid: z.int(),
  version: text,
  startedAt: text,
  /** Null while it takes sessions; else why it takes no more. */
  stopped: text.nullable(),
  /** Simulators that work at once for whoever names one of them. */
  simulators: z.array(z.array(text).min(1).max(1000).readonly()).max(1000).readonly(),
  /** Sessions that it took and has not ended yet. */
  claims: z
    .array(z.object({ sessionId: text, token: text, endpoint: text, at: text, atMs: z.number() }))
    .max(10_000),
});
/** `.host/watchdog.json`: what our own watchdog says of itself. Durable before a session is claimed. */
export type WatchdogRecord = z.infer<typeof recordSchema>;
export type Claim = WatchdogRecord['claims'][number];

/**
 * The record of a workspace (absolute path); null when there is none, `unreadable` when something else stands there. It
 * may be that of a watchdog that has ended.
 */
export async function readWatchdogRecord(workspace: string): Promise<WatchdogRecord | null | 'unreadable'> {
  try {
    const content = await readTextCapped(hostFolder(workspace).watchdog, MAX_RECORD_BYTES);
    const parsed = recordSchema.safeParse(JSON.parse(content));
    return parsed.success ? parsed.data : 'unreadable';
  } catch (error) {
    return isAbsent(error) ? null : 'unreadable';
  }
}

/** @throws RbError when it cannot be written; the old one stands then. */
export async function writeWatchdogRecord(workspace: string, record: WatchdogRecord): Promise<void> {
  await replaceFile(hostFolder(workspace).watchdog, `${JSON.stringify(record, null, 2)}\n`, {
    createMode: 0o644,
  });
}

/**
 * The watchdog of our own that works on a workspace (absolute path) now, with its version; null when none does.
 * @throws RbError when its lock cannot be asked.
 */
export async function workingWatchdog(workspace: string): Promise<string | null> {
  const record = await readWatchdogRecord(workspace);
  if (record === null || record === 'unreadable' || !(await watchdogWorks(workspace))) return null;
  return `rollout-bench host ${record.version}`;
}

/** Does a watchdog of ours work here now? Asks its lock, and makes none. */
export async function watchdogWorks(workspace: string): Promise<boolean> {
  return !(await becomesFree(hostFolder(workspace).watchdogLock, 0));
}
