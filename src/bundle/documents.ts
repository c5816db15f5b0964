import * as z from 'zod';
import { sha256Of } from '../base/sha256.ts';
import { EXIT, errorOf, type Problem, RbError } from '../errors/rb-error.ts';
import { type FileReading, linesWithin, readWithinNow } from '../files/read-within.ts';
import { basisOf } from '../journal/basis.ts';
import { ChainReader, type JournalReading, type KeepsRecord } from '../journal/chain.ts';
import { HELD_OUT_SCHEMA_ID, type HeldOutSummary, heldOutSummarySchema } from '../model/held-out-summary.ts';
import type { JournalRecord } from '../model/journal-events.ts';
import { MANIFEST_SCHEMA_ID, type Manifest, manifestSchema } from '../model/manifest.ts';
import { PLAN_SCHEMA_ID, type Plan, planSchema } from '../model/plan.ts';
import { RUN_SCHEMA_ID, type RunFacts, runFactsSchema } from '../model/run-facts.ts';
import { type Breathe, breather } from '../platform/breathe.ts';
import { parseStopBaseline, type StopBaseline, stopBaselineDigest } from '../verdict/early-stop-baseline.ts';
import { BUNDLE_FILES } from './layout.ts';
import { NotStrictJson, parseStrictJson } from './strict-json.ts';

/** A plan of 10,000 cells takes 1 MB; a manifest of 30,000 files 6 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** A session leaves 2 kB of journal. */
const JOURNAL_LIMITS = { bytes: 64 * 1024 * 1024, line: 1024 * 1024 };
const MAX_JOURNAL_LINES = 200_000;

/** The documents a bundle's numbers are computed from, raw/ aside. */
export interface BundleDocuments {
  readonly plan: Plan;
  readonly run: RunFacts;
  /** As far as numbers rest on it (`basisOf`); the rest is too much to be kept of thousands of sessions. */
  readonly journal: JournalReading;
  /** The recorded baseline of a run that may stop early; null without one. */
  readonly stopBaseline: StopBaseline | null;
  /** The aggregate of the held-out cells; null when there are none, or as long as they were not measured. */
  readonly heldOut: HeldOutSummary | null;
}

interface ReadOptions {
  readonly breathe?: Breathe;
  /** Asked when plan and run are known: what it gives sees every record of the journal whole, in order. */
  readonly follow?: (known: Pick<BundleDocuments, 'plan' | 'run'>) => (record: JournalRecord) => void;
}

/**
 * Reads plan.json, run.json and journal.jsonl.
 * @throws RbError RB702 for a format of another release, RB703 for missing or damaged documents (all at once).
 */
export async function readBundleDocuments(
  bundleDir: string,
  { breathe = breather(), follow }: ReadOptions = {},
): Promise<BundleDocuments> {
  const problems: Problem[] = [];
  const plan = collect(problems, () =>
    readDocument(bundleDir, BUNDLE_FILES.plan, PLAN_SCHEMA_ID, planSchema),
  );
  await breathe();
  const run = collect(problems, () =>
    readDocument(bundleDir, BUNDLE_FILES.run, RUN_SCHEMA_ID, runFactsSchema),
  );
  await breathe();
  const see = plan === null || run === null ? undefined : follow?.({ plan, run });
  const folded = (record: JournalRecord): JournalRecord | null => {
    see?.(record);
    return basisOf(record);
  };
  const journal = await readJournalOf(bundleDir, breathe, folded).catch((error: unknown) =>
    collect(problems, () => {
      throw error;
    }),
  );
  if (plan === null || run === null || journal === null) throw new RbError(EXIT.verifyMismatch, problems);
  const kept = { stopBaseline: readStopBaseline(bundleDir, plan), heldOut: readHeldOut(bundleDir, plan) };
  return { plan, run, journal, ...kept };
}

/**
 * The journal of an attempt, line by line.
 * @param keep left out: its records are kept whole.
 * @throws RbError RB703 when there is none, or it is no plain file of a journal's size.
 */
export async function readJournalOf(
  bundleDir: string,
  breathe: Breathe,
  keep?: KeepsRecord,
): Promise<JournalReading> {
  const reader = new ChainReader(keep);
  const lines = linesWithin(bundleDir, BUNDLE_FILES.journal, JOURNAL_LIMITS);
  let last: string | null = null;
  let count = 0;
  for (;;) {
    const step = lines.next();
    if (step.done === true) {
      if (step.value !== null) throw unreadable(BUNDLE_FILES.journal, whyNot(step.value));
      return reader.end(last ?? '');
    }
    if (last !== null) reader.add(last);
    last = step.value;
    count += 1;
    if (count > MAX_JOURNAL_LINES) {
      lines.return(null);
      throw unreadable(BUNDLE_FILES.journal, `it has more than ${MAX_JOURNAL_LINES} lines`);
    }
    await breathe();
  }
}

/** The plan of an attempt that may be unfinished; null when it is not there or cannot be read. */
export function readPlanOrNull(bundleDir: string): Plan | null {
  return collect([], () => readDocument(bundleDir, BUNDLE_FILES.plan, PLAN_SCHEMA_ID, planSchema));
}

/** @throws RbError RB703 when the plan names a baseline and the bundle does not hold exactly that one. */
function readStopBaseline(bundleDir: string, plan: Plan): StopBaseline | null {
  if (plan.stopBaseline === undefined) return null;
  const name = BUNDLE_FILES.baseline;
  const baseline = parseStopBaseline(readText(bundleDir, name));
  if (typeof baseline === 'string') throw unreadable(name, baseline);
  if (stopBaselineDigest(baseline) === plan.stopBaseline) return baseline;
  throw unreadable(name, 'it is not the baseline that the plan names');
}

/** @throws RbError RB703 when it is there and not of the list that the plan committed to. */
function readHeldOut(bundleDir: string, { heldOut }: Plan): HeldOutSummary | null {
  const name = BUNDLE_FILES.heldOut;
  if (heldOut === undefined || heldOut.salt !== undefined || readTextOrNull(bundleDir, name) === null)
    return null;
  const summary = readDocument(bundleDir, name, HELD_OUT_SCHEMA_ID, heldOutSummarySchema);
  if (summary.commitment === heldOut.commitment && summary.count === heldOut.count) return summary;
  throw unreadable(name, 'it is of another list than the plan committed to');
}

/** A manifest and the hash of exactly the bytes that it was read from. */
interface ManifestReading {
  readonly manifest: Manifest;
  readonly sha256: string;
}

/** @throws RbError RB702 or RB703. */
export function readManifest(bundleDir: string): ManifestReading {
  return manifestOf(readBytes(bundleDir, BUNDLE_FILES.manifest));
}

/** The same of bytes at hand. */
export function manifestOf(bytes: Buffer): ManifestReading {
  const name = BUNDLE_FILES.manifest;
  const manifest = asDocument(bytes.toString('utf8'), name, MANIFEST_SCHEMA_ID, manifestSchema);
  return { manifest, sha256: sha256Of(bytes) };
}

function collect<T>(problems: Problem[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

function readBytes(bundleDir: string, name: string): Buffer {
  const reading = readWithinNow(bundleDir, [name], MAX_DOCUMENT_BYTES);
  if (reading.state === 'present') return reading.bytes;
  throw unreadable(name, whyNot(reading));
}

function readText(bundleDir: string, name: string): string {
  return readBytes(bundleDir, name).toString('utf8');
}

/** Text of a document as it stands, for comparing bytes. Null when it is not there. */
export function readTextOrNull(bundleDir: string, name: string): string | null {
  try {
    return readText(bundleDir, name);
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

function readDocument<T extends z.ZodType>(
  bundleDir: string,
  name: string,
  schemaId: string,
  schema: T,
): z.infer<T> {
  return asDocument(readText(bundleDir, name), name, schemaId, schema);
}

function asDocument<T extends z.ZodType>(
  text: string,
  name: string,
  schemaId: string,
  schema: T,
): z.infer<T> {
  const value = parseJson(name, text);
  requireKnownSchema(name, value, schemaId);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unreadable(
    name,
    `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not as it should be'}`.trim(),
  );
}

function parseJson(name: string, text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof NotStrictJson) throw unreadable(name, error.message);
    throw error;
  }
}

const anySchema = z.looseObject({
  schema: z.string(),
  tool: z.looseObject({ version: z.string() }).optional(),
});

/** @throws RbError RB702 when the document names a format that this release does not compute. */
export function requireKnownSchema(name: string, value: unknown, schemaId: string): void {
  const parsed = anySchema.safeParse(value);
  if (!parsed.success) throw unreadable(name, 'it names no schema');
  if (parsed.data.schema === schemaId) return;
  const maker = parsed.data.tool?.version;
  throw errorOf('RB702', {
    where: name,
    message: `Its format is unknown here; this release knows ${schemaId}.`,
    value: parsed.data.schema.slice(0, 80),
    fix:
      maker === undefined
        ? 'Use the release that made the bundle.'
        : `Use release ${maker}, which made the bundle.`,
  });
}

function unreadable(name: string, reason: string): RbError {
  return errorOf('RB703', {
    where: name,
    message: `The document cannot be used: ${reason}.`,
    fix: 'Name the attempt folder of a sealed bundle, unchanged (of a qualification, the folder of a control). An attempt without manifest.json is unfinished; it can be resumed, and what continued it is the next attempt beside it.',
  });
}

function whyNot(reading: FileReading): string {
  if (reading.state === 'unreadable') return reading.reason;
  return 'it is not there; the attempt is unfinished, or this is no bundle folder';
}
