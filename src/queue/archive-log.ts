import * as path from 'node:path';
import { errorOf } from '../errors/rb-error.ts';
import { readTextCapped, replaceFile } from '../files/atomic-file.ts';
import { isThere } from '../files/is-there.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { readLedger } from '../lane/ledger.ts';
import { tryLock } from '../lane/try-lock.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { dumpYaml } from '../workspace/dump-yaml.ts';
import { findYamlBlock, renderDocument } from '../workspace/fenced-block.ts';
import { loadYaml, YamlError } from '../workspace/pyyaml.ts';
import { rewrittenYaml } from '../workspace/rewritten-yaml.ts';
import { leftOvers, standing } from './machine/snapshot.ts';
import { readSessionsText } from './sessions-document.ts';

/** Beside LOG.md, in its own format. */
export const LOG_ARCHIVE = 'LOG.rollout-bench.md';

/** `busy`: the queue is not idle or somebody changed the file; nothing was done. */
export type LogArchiveResult =
  | {
      readonly kind: 'moved';
      readonly entries: number;
      readonly bytesBefore: number;
      readonly bytesAfter: number;
    }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'busy'; readonly reason: string };

/**
 * Moves our own entries of LOG.md to an archive beside it: the runtime rewrites the whole file for every session. Only
 * while nothing is pending or at work, under the lock, since LOG.md has no lock of its own; our entries are those of
 * the ledger, never those of a name.
 */
export async function archiveLog(workspace: string, lockMs: number): Promise<LogArchiveResult> {
  const sessions = path.join(workspace, 'SESSIONS.md');
  const lock = await tryLock(`${sessions}.lock`, lockMs);
  if (lock === null) return { kind: 'busy', reason: 'SESSIONS.md is locked' };
  try {
    const snapshot = readSessionsText(await readTextCapped(sessions, MAX_DOCUMENT_BYTES));
    if (snapshot.fault !== null)
      return { kind: 'busy', reason: `SESSIONS.md is not readable: ${snapshot.fault}` };
    const dead = new Set(leftOvers(snapshot, { nowMs: Date.now(), slowestTransitionMs: 0 }));
    const live = snapshot.entries.find((entry) => standing(entry.status) !== 'terminal' && !dead.has(entry));
    if (live !== undefined) return { kind: 'busy', reason: `session ${live.id} is ${live.status}` };
    return await moveEntries(workspace);
  } finally {
    lock.release();
  }
}

async function moveEntries(workspace: string): Promise<LogArchiveResult> {
  const file = path.join(workspace, 'LOG.md');
  const text = await readTextCapped(file, MAX_DOCUMENT_BYTES).catch(() => null);
  const log = text === null ? null : readLog(text);
  if (text === null || log === null) return { kind: 'nothing' };
  const ours = await ownIds(workspace);
  const all = [...log.sessions];
  const moved = all.filter(([id]) => typeof id === 'string' && ours.has(id));
  if (moved.length === 0) return { kind: 'nothing' };
  await appendArchive(path.join(workspace, LOG_ARCHIVE), moved);
  log.document.set('sessions', new Map(all.filter(([id]) => typeof id !== 'string' || !ours.has(id))));
  const after = renderDocument('Runtime Session History', rewrittenYaml(log.document, 'LOG.md'));
  const same = async (): Promise<boolean> => (await readTextCapped(file, MAX_DOCUMENT_BYTES)) === text;
  if (!(await replaceFile(file, after, { confirm: same })))
    return { kind: 'busy', reason: 'LOG.md was changed meanwhile' };
  return {
    kind: 'moved',
    entries: moved.length,
    bytesBefore: Buffer.byteLength(text),
    bytesAfter: Buffer.byteLength(after),
  };
}

/** Sessions of ours by the ledger, whether we still own them or not. */
async function ownIds(workspace: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const record of await readLedger(hostFolder(workspace).ledger)) {
    if (record.type === 'own') ids.add(record.sessionId);
    if (record.type === 'past') for (const id of record.sessionIds) ids.add(id);
  }
  return ids;
}

interface LogDocument {
  readonly document: Map<unknown, unknown>;
  readonly sessions: ReadonlyMap<unknown, unknown>;
}

/** Kinds of numbers and keys are kept, so that writing it back changes nothing else. */
function readLog(text: string): LogDocument | null {
  const block = findYamlBlock(text);
  if ('problem' in block) return null;
  const document = yamlOrNull(block.body);
  const sessions = document instanceof Map ? document.get('sessions') : null;
  return document instanceof Map && sessions instanceof Map ? { document, sessions } : null;
}

/** Null for what is no YAML. */
function yamlOrNull(body: string): unknown {
  try {
    return loadYaml(body, { keepTypes: true });
  } catch (error) {
    if (error instanceof YamlError) return null;
    throw error;
  }
}

/** The archive is written before LOG.md, so a crash between the two leaves entries twice, never nowhere. */
async function appendArchive(file: string, moved: readonly (readonly [unknown, unknown])[]): Promise<void> {
  const exists = await isThere(file);
  // An archive that is there but cannot be read stops everything: it must not be replaced by a shorter one.
  const before = exists ? readLog(await readTextCapped(file, MAX_DOCUMENT_BYTES)) : null;
  if (exists && before === null) throw unreadable(file);
  const sessions = new Map([...(before?.sessions ?? []), ...moved]);
  const document = new Map<unknown, unknown>([
    ['version', 'runtime_session_history_v1'],
    ['sessions', sessions],
  ]);
  await replaceFile(file, renderDocument('Runtime Session History, archived', dumpYaml(document)), {
    createMode: 0o600,
  });
}

function unreadable(file: string): Error {
  return errorOf('RB204', {
    where: file,
    message: 'the archive of LOG.md entries is not in the form it was written in.',
    fix: 'Move it away, then clean LOG.md again.',
  });
}
