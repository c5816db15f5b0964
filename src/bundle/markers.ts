import { closeSync, constants, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { errorCode } from '../base/error-code.ts';
import { parsedJson } from '../base/json-text.ts';
import { stableJson } from '../base/stable-json.ts';
import { readWithin } from '../files/read-within.ts';
import { writeOnce } from '../files/write-once.ts';
import { BUNDLE_FILES } from './layout.ts';

/** A marker is a page of text; whatever is longer is not ours. */
const MAX_MARKER_BYTES = 256 * 1024;
const MAX_TEXT = 2_000;
const MAX_STACK = 20_000;

const head = { runId: z.string().min(1), attempt: z.int().positive(), at: z.string() };

/** `interrupted.json`: a signal ended the attempt; what stays in the queue, and what is kept. */
export const interruptedSchema = z.strictObject({
  schema: z.literal('rollout-bench/interrupted/1'),
  ...head,
  /** Null when something else than a signal stopped it. */
  signal: z.enum(['SIGINT', 'SIGTERM']).nullable(),
  /** Sessions of ours that are still in SESSIONS.md, with how far they were known to be. */
  leftBehind: z.array(z.strictObject({ sessionId: z.string(), state: z.string() })),
  /** Sessions whose evidence is in raw/, and the cells this attempt was to settle. */
  kept: z.int().min(0),
  planned: z.int().min(0),
});
type InterruptedMarker = z.infer<typeof interruptedSchema>;

/** `fatal.json`: a bug ended the attempt. It never leaves the host: a stack names folders of it. */
export const fatalSchema = z.strictObject({
  schema: z.literal('rollout-bench/fatal/1'),
  ...head,
  /** The system's code of the error, null when it has none. */
  code: z.string().nullable(),
  message: z.string(),
  stack: z.string().nullable(),
});
type FatalMarker = z.infer<typeof fatalSchema>;

/** What says that an attempt did not come to its end; null where there is no such file or it is not readable. */
export interface Markers {
  readonly interrupted: InterruptedMarker | null;
  readonly fatal: FatalMarker | null;
}

type Facts<M> = Omit<M, 'schema'>;

/** @throws RbError RB701 when the attempt has another such marker. */
export async function markInterrupted(bundleDir: string, facts: Facts<InterruptedMarker>): Promise<void> {
  const marker: InterruptedMarker = { schema: 'rollout-bench/interrupted/1', ...facts };
  await writeOnce(bundleDir, BUNDLE_FILES.interrupted, stableJson(marker));
}

/**
 * Writes the marker of a crash without waiting for anything, since the process may have no next turn. Does nothing in a
 * folder that holds no unfinished attempt: a sealed one is never changed. Never throws.
 * @param mask takes secrets out of the text.
 */
export function markFatal(
  bundleDir: string,
  place: Pick<FatalMarker, 'runId' | 'attempt' | 'at'>,
  error: unknown,
  mask: (text: string) => string,
): void {
  const holds = (name: string): boolean => existsSync(path.join(bundleDir, name));
  if (!holds(BUNDLE_FILES.journal) || holds(BUNDLE_FILES.manifest)) return;
  const marker: FatalMarker = { schema: 'rollout-bench/fatal/1', ...place, ...textsOf(error) };
  try {
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const file = openSync(path.join(bundleDir, BUNDLE_FILES.fatal), O_WRONLY | O_CREAT | O_EXCL, 0o600);
    try {
      writeSync(file, mask(stableJson(marker)));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // The first marker stays, and a full disk must not hide the error itself.
  }
}

function textsOf(error: unknown): Pick<FatalMarker, 'code' | 'message' | 'stack'> {
  if (!(error instanceof Error))
    return { code: null, message: String(error).slice(0, MAX_TEXT), stack: null };
  const { message, stack } = error;
  return {
    code: errorCode(error),
    message: message.slice(0, MAX_TEXT),
    stack: stack?.slice(0, MAX_STACK) ?? null,
  };
}

/** The markers of an attempt; `folder` are plain names below `root`. No link is followed. */
export async function readMarkers(root: string, folder: readonly string[]): Promise<Markers> {
  const read = async <T extends z.ZodType>(name: string, schema: T): Promise<z.infer<T> | null> => {
    const reading = await readWithin(root, [...folder, name], MAX_MARKER_BYTES);
    if (reading.state !== 'present') return null;
    return schema.safeParse(parsedJson(reading.bytes.toString('utf8'))).data ?? null;
  };
  return {
    interrupted: await read(BUNDLE_FILES.interrupted, interruptedSchema),
    fatal: await read(BUNDLE_FILES.fatal, fatalSchema),
  };
}

/** How an attempt ended, in one sentence without its message and paths; null when nothing says so. Pure. */
export function markerText({ interrupted, fatal }: Markers): string | null {
  if (fatal !== null) return `ended by a bug at ${fatal.at}`;
  if (interrupted === null) return null;
  const { signal, at, kept, planned, leftBehind } = interrupted;
  const left = leftBehind.length === 0 ? '' : `, left in the queue: ${leftBehind.length}`;
  return `interrupted by ${signal ?? 'its caller'} at ${at}, ${kept} of ${planned} episodes kept${left}`;
}
