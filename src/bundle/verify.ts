import * as path from 'node:path';
import type { JournalReading } from '../journal/chain.ts';
import type { EpisodeRecord } from '../outcome/episode-record.ts';
import { canonicalDigest } from '../plan/canonical-json.ts';
import { isHeldOutPlan } from '../plan/plan.ts';
import { distHash } from '../platform/dist-hash.ts';
import { VERSION } from '../platform/version.ts';
import { RESULTS_SCHEMA_ID } from '../results/results.ts';
import { stableJson } from '../results/results-text.ts';
import { stopIn } from '../results/stop-facts.ts';
import { earlyStop } from '../verdict/early-stop.ts';
import { recordsOfStopBaseline } from '../verdict/stop-baseline.ts';
import { approvalFaults } from './check-approval.ts';
import { qualificationFaults } from './check-qualification.ts';
import {
  type BundleDocuments,
  readBundleDocuments,
  readManifest,
  readTextOrNull,
  requireKnownSchema,
} from './documents.ts';
import { type FileDigest, hashFile } from './hash-file.ts';
import { BUNDLE_FILES } from './layout.ts';
import type { Manifest } from './manifest.ts';
import { recompute } from './recompute.ts';
import { episodesJsonl, tables } from './render-files.ts';
import { walkFolder } from './walk.ts';

/** One way in which a bundle is not what its manifest says. */
export interface Difference {
  readonly kind:
    | 'missing'
    | 'extra'
    | 'changed'
    | 'link'
    | 'journal'
    | 'plan'
    | 'results'
    | 'qualification'
    | 'approval'
    | 'held back'
    | 'held out';
  /** Path inside the bundle. */
  readonly path: string;
  readonly message: string;
}

/**
 * Checks a bundle offline: every hash, nothing extra or missing, no links, the journal's chain, the plan's digest,
 * and results.json and episodes.jsonl computed again from raw/ and compared byte for byte, the tables too when this very
 * build made them. An empty list means that
 * the files are those that were sealed; who sealed them, a bundle cannot prove.
 * @throws RbError RB702 for a format of another release, RB703 when there is no readable bundle.
 */
export async function verifyBundle(bundleDir: string): Promise<readonly Difference[]> {
  const manifest = readManifest(bundleDir);
  const found = compareFiles(bundleDir, manifest);
  const documents = readBundleDocuments(bundleDir);
  return [
    ...found,
    ...manifest.leftOut
      .filter((each) => each.reason.startsWith('held back'))
      .map((each): Difference => ({ kind: 'held back', path: each.path, message: each.reason })),
    ...checkJournal(documents.journal, manifest, found),
    ...checkNames(documents, manifest),
    ...checkPlan(documents, manifest),
    ...checkHeldOut(documents),
    ...qualificationFaults(bundleDir, documents).map(
      (message): Difference => ({ kind: 'qualification', path: BUNDLE_FILES.qualification, message }),
    ),
    ...approvalFaults(bundleDir, documents).map((fault): Difference => ({ kind: 'approval', ...fault })),
    ...checkResults(bundleDir, documents, await isOwnBuild(manifest)),
  ];
}

/**
 * Was the bundle made by exactly this program? Only then tables must come out as they did: how they are laid out may
 * change in any release, and their hashes hold them anyway.
 */
async function isOwnBuild({ tool }: Manifest): Promise<boolean> {
  return tool.version === VERSION && tool.distHash === (await distHash());
}

function compareFiles(bundleDir: string, manifest: Manifest): Difference[] {
  const { files, odd } = walkFolder(bundleDir);
  const differences: Difference[] = odd.map((name) => ({
    kind: 'link',
    path: name,
    message: 'it is a link or a special file; a bundle holds plain files only',
  }));
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  for (const name of files) {
    if (name === BUNDLE_FILES.manifest) continue;
    const expected = listed.get(name);
    listed.delete(name);
    if (expected === undefined) {
      differences.push({ kind: 'extra', path: name, message: 'the manifest does not list it' });
      continue;
    }
    const change = changeOf(expected, hashFile(path.join(bundleDir, name)));
    if (change !== null) differences.push({ kind: 'changed', path: name, message: change });
  }
  const missing = [...listed.keys()].filter((name) => !odd.includes(name));
  return [
    ...differences,
    ...missing.map((name): Difference => ({ kind: 'missing', path: name, message: 'the manifest lists it' })),
  ];
}

function changeOf(expected: FileDigest, found: FileDigest): string | null {
  if (expected.bytes !== found.bytes) return `it has ${found.bytes} bytes instead of ${expected.bytes}`;
  if (expected.sha256 !== found.sha256) return `its SHA-256 is ${found.sha256} instead of ${expected.sha256}`;
  return null;
}

function checkJournal(
  journal: JournalReading,
  manifest: Manifest,
  found: readonly Difference[],
): Difference[] {
  const differences: Difference[] = [];
  const at = (message: string): Difference => ({ kind: 'journal', path: BUNDLE_FILES.journal, message });
  if (journal.fault !== null) differences.push(at(`the chain is broken: ${journal.fault}`));
  // Redaction changes raw files after the journal named their hashes.
  if (manifest.kind === 'redacted') return differences;
  const changed = new Set(found.map((difference) => difference.path));
  const hashes = new Map(manifest.files.map((file) => [file.path, file.sha256]));
  for (const { event } of journal.records) {
    if (event.type !== 'collected') continue;
    for (const file of event.files) {
      const name = `${BUNDLE_FILES.raw}/${event.sessionId}/${file.name}`;
      const hash = hashes.get(name);
      if (hash === file.sha256 || changed.has(name)) continue;
      if (manifest.leftOut.some((each) => each.path === name)) continue;
      const state = hash === undefined ? 'is not in the bundle' : 'has another hash in the bundle';
      differences.push(at(`${name} was archived with SHA-256 ${file.sha256}, but ${state}`));
    }
  }
  return differences;
}

/** What the manifest says about its bundle, which no hash of it covers. */
function checkNames({ run }: BundleDocuments, manifest: Manifest): Difference[] {
  const told: readonly (readonly [string, string, string])[] = [
    ['run', manifest.runId, run.runId],
    ['attempt', String(manifest.attempt), String(run.attempt)],
    ['program', stableJson(manifest.tool), stableJson(run.tool)],
  ];
  return told
    .filter(([, claimed, found]) => claimed !== found)
    .map(([what, claimed, found]) => ({
      kind: 'changed',
      path: BUNDLE_FILES.manifest,
      message: `it names the ${what} ${claimed.trim()}, but run.json says ${found.trim()}`,
    }));
}

function checkPlan({ plan, run, journal }: BundleDocuments, manifest: Manifest): Difference[] {
  const digest = canonicalDigest(plan);
  const started = journal.records.find((record) => record.event.type === 'started')?.event;
  const claims: readonly (readonly [string, string])[] = [
    [BUNDLE_FILES.run, run.planDigest],
    [BUNDLE_FILES.manifest, manifest.planDigest],
    ...(started?.type === 'started' ? [[BUNDLE_FILES.journal, started.planDigest] as const] : []),
  ];
  return claims
    .filter(([, claimed]) => claimed !== digest)
    .map(([name, claimed]) => ({
      kind: 'plan',
      path: name,
      message: `it names plan ${claimed}, but plan.json has the digest ${digest}`,
    }));
}

/** The aggregate follows from a bundle that stays on its host; here only its being there can be checked. */
function checkHeldOut({ plan, heldOut }: BundleDocuments): Difference[] {
  if (plan.heldOut === undefined || isHeldOutPlan(plan) || heldOut !== null) return [];
  const message = 'the plan holds cells out, and their aggregate is not here';
  return [{ kind: 'missing', path: BUNDLE_FILES.heldOut, message }];
}

function checkResults(bundleDir: string, documents: BundleDocuments, ownBuild: boolean): Difference[] {
  const written = readTextOrNull(bundleDir, BUNDLE_FILES.results);
  if (written !== null) requireKnownResults(written);
  const { records, results } = recompute(bundleDir, documents);
  const compare = (name: string, computed: string): Difference[] =>
    compareText(name, readTextOrNull(bundleDir, name), computed);
  return [
    ...checkStop(documents, records),
    ...compareText(BUNDLE_FILES.results, written, stableJson(results)),
    ...compare(BUNDLE_FILES.episodes, episodesJsonl(records)),
    ...(ownBuild ? tables(records, results).flatMap(({ name, content }) => compare(name, content)) : []),
  ];
}

/** A stop must follow from the outcomes before it: a run may not end where it pleases. */
function checkStop(
  { plan, journal, stopBaseline }: BundleDocuments,
  records: readonly EpisodeRecord[],
): Difference[] {
  const told = stopIn(journal.records);
  // An entry that somebody changed after the run had judged it takes its outcome back; the verdict is INVALID then.
  if (told === null || journal.records.some(({ event }) => event.type === 'conflict')) return [];
  const at = (message: string): Difference[] => [{ kind: 'journal', path: BUNDLE_FILES.journal, message }];
  if (plan.earlyStop !== true) return at('it stopped early, but the plan does not allow that');
  const baseline = stopBaseline === null ? null : recordsOfStopBaseline(stopBaseline, plan.benchmark).records;
  const state = earlyStop({ plan, records, baseline });
  if (state.decision === told.decision && state.prefix === told.prefix) return [];
  return at(
    `it stopped with ${told.decision} after ${told.prefix} cells, but raw/ gives ${state.decision ?? 'no decision'} after ${state.prefix}`,
  );
}

function requireKnownResults(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON is a difference, said by the comparison.
    return;
  }
  if (typeof value === 'object' && value !== null && 'schema' in value) {
    requireKnownSchema(BUNDLE_FILES.results, value, RESULTS_SCHEMA_ID);
  }
}

function compareText(name: string, written: string | null, computed: string): Difference[] {
  if (written === computed || written === null) return [];
  const lines = written.split('\n');
  const line = computed.split('\n').findIndex((each, index) => each !== lines[index]);
  const where = line === -1 ? `line ${lines.length}` : `line ${line + 1}`;
  return [{ kind: 'results', path: name, message: `computed again from raw/ it differs from ${where} on` }];
}
