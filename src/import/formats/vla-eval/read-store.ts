import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { EXIT, failure } from '../../../errors/rb-error.ts';
import { readPlainFile } from '../../../files/read-within.ts';
import type { ImportSource } from '../../importer/importer.ts';
import { issueText, MAX_DOCUMENT_BYTES, misread, unreadableSource } from '../../importer/read-source.ts';
import { type StoreRows, storeRows } from './store-rows.ts';
import { requireStores, SQLITE_HEAD } from './store-rules.ts';
import { STORE_WORKER, type StoreOrder, type StoreTable } from './store-worker.ts';

/** 100,000 episodes take two seconds. */
const LIMIT_MS = 60_000;
/** A traceback has some kilobytes, a configuration some more. */
const MAX_VALUE = 1024 ** 2;
const MEMORY_MB = 512;
const HEADER_BYTES = 100;
/** Two bytes of the header of a database: how it is written and read. 1 is without a file beside it. */
const FORMAT_BYTES = [18, 19] as const;

const TABLES: readonly StoreTable[] = [
  {
    name: 'eval_metadata',
    columns: ['eval_id', 'safe_name', 'metadata'],
    most: 1_000,
    needed: true,
  },
  {
    name: 'episode_results',
    columns: [
      ...['sid', 'eid', 'eval_id', 'task_name', 'episode_id', 'status', 'metrics', 'steps'],
      ...['elapsed_sec', 'context', 'failure_reason', 'failure_detail'],
    ],
    most: 1_000_000,
    needed: true,
  },
  {
    name: 'eval_shards',
    columns: ['eval_id', 'shard_id', 'num_shards', 'complete'],
    most: 100_000,
    needed: false,
  },
];

/**
 * The rows of a store of vla-eval. What is opened is a copy in a folder of its own: no file beside it can add to it, and
 * nothing is written where it lies. The copy is opened by a worker that is ended when its time is over.
 * @throws RbError RB901 for no plain file, RB902 for one that is no such store, RB905 and RB906 where none is opened.
 */
export async function readStore(
  source: Pick<ImportSource, 'name' | 'file'>,
  limitMs = LIMIT_MS,
): Promise<StoreRows> {
  requireStores(source.name);
  const folder = mkdtempSync(path.join(process.env.RUNNER_TEMP ?? tmpdir(), 'rollout-bench-store-'));
  try {
    const file = path.join(folder, 'store.sqlite');
    writeFileSync(file, plainBytes(source), { flag: 'wx', mode: 0o600 });
    const told = await inWorker(
      {
        file,
        tables: TABLES,
        maxValue: MAX_VALUE,
        maxTotal: MAX_DOCUMENT_BYTES,
      },
      limitMs,
    );
    if (told.kind === 'late') throw late(source.name, limitMs);
    if (told.kind === 'fault')
      throw misread(source.name, `as a database of vla-eval: ${told.text.slice(0, 300)}`);
    const rows = storeRows.safeParse(told.tables);
    if (rows.success) return rows.data;
    throw misread(source.name, `a row of it is not as vla-eval writes them: ${issueText(rows.error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function plainBytes({ name, file }: Pick<ImportSource, 'name' | 'file'>): Buffer {
  const reading = readPlainFile(file, MAX_DOCUMENT_BYTES);
  if (reading.state !== 'present')
    throw unreadableSource(name, reading.state === 'unreadable' ? reading.reason : 'it is gone');
  const { bytes } = reading;
  if (bytes.toString('latin1', 0, SQLITE_HEAD.length) !== SQLITE_HEAD)
    throw misread(name, 'it is no SQLite database');
  if (bytes.length < statedBytes(bytes))
    throw misread(name, 'it is cut off: its first page says that it is larger');
  for (const at of FORMAT_BYTES) if (bytes[at] === 2) bytes[at] = 1;
  return bytes;
}

/** What the header of a database says of its size, which is more than a file has that is too short for a header. Pure. */
function statedBytes(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const size = bytes.readUInt16BE(16);
  return (size === 1 ? 65_536 : size) * bytes.readUInt32BE(28);
}

const message = z.union([
  z.object({ tables: z.record(z.string(), z.unknown()) }),
  z.object({ fault: z.string() }),
]);

type Told =
  | { readonly kind: 'tables'; readonly tables: unknown }
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'late' };

/** Ends the worker in every case. */
async function inWorker(order: StoreOrder, limitMs: number): Promise<Told> {
  const worker = new Worker(STORE_WORKER, {
    eval: true,
    workerData: order,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Told>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'late' }), limitMs);
      worker.once('message', (value: unknown) => resolve(toldBy(value)));
      worker.once('error', (error) => resolve({ kind: 'fault', text: error.message }));
      worker.once('exit', () => resolve({ kind: 'fault', text: 'its reader ended without a word' }));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function toldBy(value: unknown): Told {
  const parsed = message.safeParse(value);
  if (!parsed.success) return { kind: 'fault', text: 'its reader said nothing that is known' };
  return 'fault' in parsed.data
    ? { kind: 'fault', text: parsed.data.fault }
    : { kind: 'tables', tables: parsed.data.tables };
}

function late(where: string, limitMs: number): Error {
  return failure(EXIT.refused, {
    code: 'RB906',
    where,
    message: `the database was not read within ${limitMs / 1000} seconds, so its reader was ended.`,
    fix: 'Write its results as JSON: `vla-eval merge` makes <name>_aggregate.json of it.',
  });
}
