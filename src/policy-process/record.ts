import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { makeWhole } from '../files/make-whole.ts';
import { readWithin } from '../files/read-within.ts';
import { putFile } from '../workspace/put-file.ts';

const SCHEMA_ID = 'rollout-bench/policy-process/1';
const MAX_BYTES = 64 * 1024;
const MAX_TEXT = 10_000;
const FILE = /^([0-9a-f]{32})\.json$/;
/** Of a program that was killed while it wrote one. */
const HALF = /^\.[0-9a-f]{32}\.json\.[0-9a-f]+\.tmp$/;
/** The host has one or two; more is a mistake. */
const MAX_RECORDS = 1000;

const text = z.string().max(MAX_TEXT);

/** Everything that is needed to end what a command started, also by another process. */
const processRecordSchema = z.strictObject({
  schema: z.literal(SCHEMA_ID),
  /** Value of the marker; 32 hex digits. */
  token: z.string().regex(/^[0-9a-f]{32}$/),
  arm: z.enum(['candidate', 'baseline']),
  runId: text,
  /** UTC, ISO 8601. */
  startedAt: text,
  port: z.int().min(1).max(65_535),
  /** Absolute. */
  directory: text,
  /** Null when ending the processes is enough. */
  stopCommand: text.nullable(),
  /** Variables that the stop command gets, as the command did. */
  names: z.array(text).max(1000).readonly(),
  /** Its process group, as `ProcessGroup`; null before the command runs. */
  group: z
    .strictObject({
      id: z.int().positive(),
      anchors: z
        .array(z.strictObject({ pid: z.int().positive(), startTime: text }))
        .max(10_000)
        .readonly(),
    })
    .nullable(),
});
export type ProcessRecord = z.infer<typeof processRecordSchema>;

/** What is on record of a policy before its command runs. */
export function newRecord(
  spec: Pick<ProcessRecord, 'arm' | 'runId' | 'port' | 'directory' | 'stopCommand' | 'names'>,
  begun: Pick<ProcessRecord, 'token' | 'startedAt'>,
): ProcessRecord {
  const { arm, runId, port, directory, stopCommand, names } = spec;
  return { schema: SCHEMA_ID, ...begun, arm, runId, port, directory, stopCommand, names, group: null };
}

/** Written before the command is started: a process that nobody knows of would be there for ever. */
export async function keepRecord(folder: string, record: ProcessRecord): Promise<void> {
  await makeWhole(fileOf(folder, record.token), textOf(record));
}

/** Adds what is known once the command runs. Not synced: the marker alone finds it, too. */
export function renewRecord(folder: string, record: ProcessRecord): Promise<void> {
  return putFile(fileOf(folder, record.token), textOf(record));
}

export function dropRecord(folder: string, token: string): Promise<void> {
  return fs.rm(fileOf(folder, token), { force: true });
}

/** Takes away what was never whole. */
export async function dropHalves(folder: string): Promise<void> {
  const names = await fs.readdir(folder).catch(() => []);
  for (const name of names.filter((each) => HALF.test(each)).slice(0, MAX_RECORDS))
    await fs.rm(path.join(folder, name), { force: true });
}

/** A policy that an earlier process may have left. Of a record that cannot be read its name still has the marker. */
export interface LeftRecord {
  readonly token: string;
  readonly record: ProcessRecord | null;
}

export async function leftRecords(folder: string): Promise<readonly LeftRecord[]> {
  const names = await fs.readdir(folder).catch(() => []);
  const tokens = names.flatMap((name) => FILE.exec(name)?.[1] ?? []).slice(0, MAX_RECORDS);
  return Promise.all(tokens.map(async (token) => ({ token, record: await readRecord(folder, token) })));
}

async function readRecord(folder: string, token: string): Promise<ProcessRecord | null> {
  const reading = await readWithin(folder, [`${token}.json`], MAX_BYTES);
  if (reading.state !== 'present') return null;
  try {
    const parsed = processRecordSchema.safeParse(JSON.parse(reading.bytes.toString('utf8')));
    return parsed.success && parsed.data.token === token ? parsed.data : null;
  } catch {
    return null;
  }
}

function fileOf(folder: string, token: string): string {
  return path.join(folder, `${token}.json`);
}

function textOf(record: ProcessRecord): string {
  return `${JSON.stringify(record)}\n`;
}
