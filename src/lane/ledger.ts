import * as fs from 'node:fs/promises';
import * as z from 'zod';
import { errorCode } from '../base/error-code.ts';
import { parsedJson } from '../base/json-text.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { replaceFile } from '../files/atomic-file.ts';
import { type DurableLines, openDurableLines } from '../files/durable-lines.ts';
import { systemReason } from '../files/problems.ts';

/** Nothing of a ledger line may be longer; a longer file part is somebody else's. */
const MAX_LEDGER_BYTES = 256 * 1024 * 1024;

const stamp = { at: z.string(), runId: z.string() };

/**
 * One line of the ledger: what on this host belongs to us. A sweep goes by these lines only, never by a name that
 * looks like ours.
 */
const ledgerRecordSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run'),
    ...stamp,
    attempt: z.int().min(0),
    bundleDir: z.string().nullable(),
    /** The command that goes on with the run; absent in records of earlier versions, and where nothing does. */
    again: z.string().optional(),
  }),
  /** Written before the first byte of the contract, the cell target or the entry is. */
  z.strictObject({
    type: z.literal('own'),
    ...stamp,
    sessionId: z.string(),
    cellTarget: z.string(),
    /** Workspace-relative path of the contract file. */
    contract: z.string(),
  }),
  /** The entry is gone from SESSIONS.md for good (or handed over to the user). */
  z.strictObject({
    type: z.literal('released'),
    ...stamp,
    sessionId: z.string(),
    how: z.enum(['removed', 'never_queued', 'lost', 'kept', 'conflict']),
  }),
  /** A pending entry was taken out: its cell target must stay until a pass that may hold the old document has ended. */
  z.strictObject({
    type: z.literal('withdrawn'),
    ...stamp,
    sessionId: z.string(),
    /** Size of SESSIONS.md then, in bytes. */
    documentBytes: z.int().min(0),
  }),
  /** What compaction keeps of sessions that are done with: which entries of LOG.md are ours. */
  z.strictObject({ type: z.literal('past'), ...stamp, sessionIds: z.array(z.string()) }),
  /** Cell target and contract file are gone. */
  z.strictObject({ type: z.literal('cell_target_removed'), ...stamp, cellTarget: z.string() }),
]);
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>;
type WithoutTime<R> = R extends unknown ? Omit<R, 'at'> : never;
export type LedgerEvent = WithoutTime<LedgerRecord>;

/** A session of ours that was never released. */
export interface OwnedSession {
  readonly runId: string;
  readonly sessionId: string;
  readonly cellTarget: string;
  readonly contract: string;
}

/** A cell target of ours that was never taken out again. */
interface OwnedCellTarget {
  readonly runId: string;
  readonly cellTarget: string;
  readonly contract: string;
  /** When a pending session that named it was last withdrawn, and how large SESSIONS.md was; null when none was. */
  readonly withdrawn: { readonly at: string; readonly documentBytes: number } | null;
}

export interface Holdings {
  readonly sessions: ReadonlyMap<string, OwnedSession>;
  readonly cellTargets: ReadonlyMap<string, OwnedCellTarget>;
  /** Last bundle folder of each run. */
  readonly bundles: ReadonlyMap<string, string>;
}

/** Pure: what we still own after these records. */
export function foldLedger(records: readonly LedgerRecord[]): Holdings {
  const sessions = new Map<string, OwnedSession>();
  const cellTargets = new Map<string, OwnedCellTarget>();
  const bundles = new Map<string, string>();
  const targetOf = new Map<string, string>();
  for (const record of records) {
    switch (record.type) {
      case 'run':
        if (record.bundleDir !== null) bundles.set(record.runId, record.bundleDir);
        break;
      case 'own': {
        const { runId, sessionId, cellTarget, contract } = record;
        sessions.set(sessionId, { runId, sessionId, cellTarget, contract });
        cellTargets.set(cellTarget, {
          runId,
          cellTarget,
          contract,
          withdrawn: cellTargets.get(cellTarget)?.withdrawn ?? null,
        });
        targetOf.set(sessionId, cellTarget);
        break;
      }
      case 'released':
        sessions.delete(record.sessionId);
        break;
      case 'withdrawn': {
        sessions.delete(record.sessionId);
        const held = cellTargets.get(targetOf.get(record.sessionId) ?? '');
        const withdrawn = { at: record.at, documentBytes: record.documentBytes };
        if (held !== undefined) cellTargets.set(held.cellTarget, { ...held, withdrawn });
        break;
      }
      case 'cell_target_removed':
        cellTargets.delete(record.cellTarget);
        break;
    }
  }
  return { sessions, cellTargets, bundles };
}

/**
 * Reads the ledger; an absent one is empty. Lines that a crash cut off are skipped: what they would have announced had
 * not happened yet.
 * @throws RbError RB408 when a whole line is not a ledger record or the file is absurdly large.
 */
export async function readLedger(file: string): Promise<readonly LedgerRecord[]> {
  const text = await textOf(file);
  if (text === null) return [];
  const records: LedgerRecord[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const value = parsedJson(line);
    if (value === undefined) continue;
    const parsed = ledgerRecordSchema.safeParse(value);
    if (!parsed.success) throw unreadable(file, `line ${index + 1} is not a ledger record of this version`);
    records.push(parsed.data);
  }
  return records;
}

/** Null when it is not there. No link is followed, or entries of somebody else's ledger would be taken for ours. */
async function textOf(file: string): Promise<string | null> {
  try {
    const stats = await fs.lstat(file);
    if (!stats.isFile()) throw unreadable(file, 'it is not a regular file');
    if (stats.size > MAX_LEDGER_BYTES) throw unreadable(file, 'it is larger than 256 MB');
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === null) throw error;
    if (errorCode(error) === 'ENOENT') return null;
    throw unreadable(file, systemReason(error));
  }
}

export interface Ledger {
  /** Durable when it resolves. */
  append(...events: readonly LedgerEvent[]): Promise<void>;
  /** Closed for as long as somebody else has the lane. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the ledger for appending; only the holder of the lane may. */
export async function openLedger(file: string, now: () => number): Promise<Ledger> {
  const open = (): Promise<DurableLines> => openDurableLines(file, { exclusive: false });
  let lines = await open();
  return {
    append(...events) {
      const at = new Date(now()).toISOString();
      return lines.append(events.map((event) => JSON.stringify({ at, ...event })));
    },
    reopen: async () => {
      lines = await open();
    },
    close: () => lines.close(),
  };
}

/** Below this a ledger is not worth compacting. */
const COMPACT_BYTES = 4 * 1024 * 1024;

/**
 * Shortens a large ledger on a host where nothing of ours is left: ids of past sessions stay (LOG.md still has them),
 * everything else goes. Only the holder of the lane may.
 */
export async function compactLedger(file: string, now: () => number): Promise<void> {
  const size = await fs.stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size < COMPACT_BYTES) return;
  const records = await readLedger(file);
  const holdings = foldLedger(records);
  if (holdings.sessions.size > 0 || holdings.cellTargets.size > 0) return;
  const at = new Date(now()).toISOString();
  const byRun = new Map<string, string[]>();
  for (const record of records) {
    const ids = record.type === 'own' ? [record.sessionId] : record.type === 'past' ? record.sessionIds : [];
    byRun.set(record.runId, [...(byRun.get(record.runId) ?? []), ...ids]);
  }
  const lines = [...byRun]
    .filter(([, sessionIds]) => sessionIds.length > 0)
    .map(([runId, sessionIds]) => JSON.stringify({ at, type: 'past', runId, sessionIds }));
  await replaceFile(file, lines.map((line) => `${line}\n`).join(''));
}

function unreadable(file: string, why: string): RbError {
  return errorOf('RB408', {
    where: file,
    message: `The ledger cannot be read: ${why}.`,
  });
}
