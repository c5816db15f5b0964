import type { Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { sha256Of } from '../../base/sha256.ts';
import { byCodeUnit } from '../../base/stable-json.ts';
import { WhyNot } from '../../base/why-not.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { type Markers, markerText, readMarkers } from '../../bundle/markers.ts';
import { readWithin } from '../../files/read-within.ts';
import { lastRecord } from '../../journal/last-record.ts';
import { manifestSchema } from '../../model/manifest.ts';
import { planSchema } from '../../model/plan.ts';
import { type Results, resultsSchema } from '../../model/results.ts';
import type { ArmCounts, AttemptEntry, AttemptState, KnownFile, RejectedEntry } from './run-entry.ts';

/** A manifest of 30,000 files has 5 MB, results.json of 2,000 tasks as much. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Files of an attempt itself, raw/ aside; a bundle has about ten. */
const MAX_FILES = 200;
/** Folders of raw/ that are still counted file by file where no manifest has done so. */
const MAX_COUNTED = 20_000;

interface AttemptRequest {
  /** Absolute. */
  readonly root: string;
  /** Below the root. */
  readonly folder: readonly string[];
  readonly shownAs: string;
  readonly attempt: number;
  readonly running: boolean;
  readonly quarantine: boolean;
  readonly rawRemoved: boolean;
  /** Takes what is not looked into. */
  readonly rejected: RejectedEntry[];
}

/** What is known of an attempt without looking into its evidence. */
export async function scanAttempt(request: AttemptRequest): Promise<AttemptEntry> {
  const { root, folder, shownAs, attempt, quarantine, rawRemoved, rejected } = request;
  const entries = await fs.readdir(path.join(root, ...folder), { withFileTypes: true }).catch(() => null);
  if (entries === null) rejected.push({ path: shownAs, reason: 'it cannot be listed' });
  const files = await knownFiles(request, entries ?? []);
  const has = (name: string): boolean => files.some((file) => file.path === `${shownAs}/${name}`);
  const manifest = has(BUNDLE_FILES.manifest) ? await readManifestOf(request) : null;
  const results = has(BUNDLE_FILES.results) ? await readResults(request) : null;
  const end = has(BUNDLE_FILES.journal) ? await journalEnd(request) : 'empty';
  const known = results instanceof WhyNot ? null : results;
  const markers = await readMarkers(root, folder);
  const newest = Math.max(...files.map(({ modifiedMs }) => modifiedMs));
  return {
    attempt,
    state: stateOf(request, manifest !== null, markedEnd(markers) ?? end),
    ending: markerText(markers),
    suite: known?.suite ?? (await plannedSuite(request)),
    evidenceClass: known?.run.evidenceClass ?? null,
    ...(known === null ? {} : { purpose: known.purpose }),
    ...(known?.run.heldOutOf === undefined ? {} : { heldOutOf: known.run.heldOutOf.runId }),
    resultsProblem: results instanceof WhyNot ? results.why : null,
    arms: known === null ? null : known.arms.map(countsOf),
    report: files.find((file) => /\/BENCHMARK_REPORT_[^/]*\.md$/.test(file.path)) ?? null,
    manifestSha256: manifest?.sha256 ?? null,
    sealValid: null,
    bytes: manifest === null ? await bytesBelow(path.join(root, ...folder)) : manifest.bytes,
    quarantine,
    rawRemoved,
    modifiedAt: files.length === 0 ? null : new Date(newest).toISOString(),
    files,
  };
}

async function knownFiles(request: AttemptRequest, entries: readonly Dirent[]): Promise<KnownFile[]> {
  const { root, folder, shownAs, rejected } = request;
  const files: KnownFile[] = [];
  for (const entry of entries.toSorted((left, right) => byCodeUnit(left.name, right.name))) {
    const place = `${shownAs}/${entry.name}`;
    if (entry.isDirectory()) continue;
    // What vanishes between listing and looking was a temporary file.
    const stats = entry.isFile()
      ? await fs.lstat(path.join(root, ...folder, entry.name)).catch(() => null)
      : null;
    if (!entry.isFile()) rejected.push({ path: place, reason: 'a link or special file' });
    else if (files.length >= MAX_FILES) {
      rejected.push({ path: shownAs, reason: `more than ${MAX_FILES} files` });
      break;
    } else if (stats !== null) {
      files.push({ path: place, bytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs) });
    }
  }
  return files;
}

function stateOf({ running }: AttemptRequest, sealed: boolean, end: AttemptState): AttemptState {
  if (sealed) return 'sealed';
  return running ? 'running' : end;
}

function markedEnd({ interrupted, fatal }: Markers): AttemptState | null {
  if (fatal !== null) return 'crashed';
  return interrupted === null ? null : 'interrupted';
}

async function readManifestOf(
  request: AttemptRequest,
): Promise<{ readonly sha256: string; readonly bytes: number | null }> {
  const text = await documentOf(request, BUNDLE_FILES.manifest);
  const parsed = manifestSchema.safeParse(text === null ? undefined : jsonOf(text));
  if (text === null || !parsed.success) {
    request.rejected.push({
      path: `${request.shownAs}/${BUNDLE_FILES.manifest}`,
      reason: 'not a manifest this release reads',
    });
  }
  const bytes = parsed.success ? parsed.data.files.reduce((sum, file) => sum + file.bytes, 0) : null;
  return {
    sha256: sha256Of(text ?? ''),
    bytes: bytes === null ? null : bytes + Buffer.byteLength(text ?? ''),
  };
}

async function readResults(request: AttemptRequest): Promise<Results | WhyNot> {
  const text = await documentOf(request, BUNDLE_FILES.results);
  if (text === null) return new WhyNot('it cannot be read');
  const parsed = resultsSchema.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : new WhyNot('it is not in a format that this release reads');
}

async function documentOf({ root, folder }: AttemptRequest, name: string): Promise<string | null> {
  const reading = await readWithin(root, [...folder, name], MAX_DOCUMENT_BYTES);
  return reading.state === 'present' ? reading.bytes.toString('utf8') : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function countsOf({ arm, planned, recorded, valid, successRate }: Results['arms'][number]): ArmCounts {
  return { arm, planned, recorded, valid, successes: successRate.k };
}

/** An attempt that was killed has no results, and its plan all the same. */
async function plannedSuite(request: AttemptRequest): Promise<string | null> {
  const text = await documentOf(request, BUNDLE_FILES.plan);
  return text === null ? null : (planSchema.safeParse(jsonOf(text)).data?.suite ?? null);
}

/** How the journal ends. */
async function journalEnd({ root, folder }: AttemptRequest): Promise<AttemptState> {
  const event = (await lastRecord(path.join(root, ...folder, BUNDLE_FILES.journal)))?.event;
  if (event?.type === 'interrupted') return 'interrupted';
  if (event?.type !== 'ended') return 'unsealed';
  return event.end === 'interrupted' ? 'interrupted' : 'ended';
}

/** Size of everything below a folder, links left out; null beyond the number of files that is worth the time. */
async function bytesBelow(folder: string): Promise<number | null> {
  let bytes = 0;
  let counted = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const here = next;
    for (const entry of await fs.readdir(here, { withFileTypes: true }).catch(() => [])) {
      counted += 1;
      if (counted > MAX_COUNTED) return null;
      if (entry.isDirectory()) waiting.push(path.join(here, entry.name));
      else if (entry.isFile())
        bytes += (await fs.lstat(path.join(here, entry.name)).catch(() => null))?.size ?? 0;
    }
  }
  return bytes;
}
