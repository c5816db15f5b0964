import { readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { stableJson, stableJsonParts } from '../base/stable-json.ts';
import type { FileDigest } from '../files/hash-file.ts';
import type { PackedDigests } from '../files/packed-digests.ts';
import { writeOnce, writeOnceParts } from '../files/write-once.ts';
import { importDiffers } from '../import/read-imported.ts';
import type { EpisodeRecord } from '../model/episode-record.ts';
import type { HeldOutSummary } from '../model/held-out-summary.ts';
import { MANIFEST_SCHEMA_ID, type Manifest } from '../model/manifest.ts';
import type { Plan } from '../model/plan.ts';
import type { Results } from '../model/results.ts';
import type { RunFacts } from '../model/run-facts.ts';
import type { Decision } from '../model/verdict.ts';
import { type Breathe, breather } from '../platform/breathe.ts';
import type { Audience } from '../report/view/endpoint.ts';
import type { ReportInput } from '../report/view/report-input.ts';
import { secretScanner, secretsIn } from '../screen/secret-scan.ts';
import { heldOutRefusal, refuseHeldOut, streamScreen, type TextScreen } from '../screen/text-screen.ts';
import { type StopBaseline, stopBaselineText } from '../verdict/early-stop-baseline.ts';
import { readBundleDocuments } from './documents.ts';
import { type Hit, quarantine, refuseSecrets, scanFolder } from './held-back.ts';
import { attemptFolder, BUNDLE_FILES, reportFileName } from './layout.ts';
import { recompute } from './recompute.ts';
import { renderFiles } from './render-files.ts';
import { sealedReport } from './render-sealed.ts';
import { archivedIds, sessionsDocument } from './sessions-document.ts';

export interface SealInput {
  /** Absolute; holds journal.jsonl and raw/. */
  readonly bundleDir: string;
  readonly plan: Plan;
  readonly run: RunFacts;
  /** The recorded baseline that the plan names for an early stop; null when it names none. */
  readonly stopBaseline: StopBaseline | null;
  /** Further files of the run, such as what entitled it to begin. */
  readonly documents: readonly BundleDocument[];
  /** Mustache text that replaces our report; null is ours. */
  readonly template: string | null;
  /** Values of credentials of this process; none may be in a file that leaves. */
  readonly secrets: readonly string[];
  /** Finds held-out cells, of which no file may tell either; null when there are none. */
  readonly screen: TextScreen | null;
  readonly audience: Audience;
  /** Where the bundle is, as the report shows it; null for copies. */
  readonly shownAs: string | null;
  readonly origin: { readonly kind: 'sealed' } | { readonly kind: 'redacted'; readonly from: string };
  /** False leaves the manifest out: the attempt is unfinished, stays unsealed and may be resumed. */
  readonly complete: boolean;
}

export interface BundleDocument {
  /** One of `BUNDLE_FILES`. */
  readonly name: string;
  readonly text: string;
}

export interface Sealed {
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
  readonly decision: Decision;
  /** The aggregate of the cells that the plan holds out; null without. */
  readonly heldOut: HeldOutSummary | null;
  /** Null while the attempt is unfinished. */
  readonly manifestSha256: string | null;
  /** Name inside the bundle. */
  readonly reportFile: string;
  /** Files held back because a secret was found in them; the run fails when there are any. */
  readonly quarantined: readonly { readonly path: string; readonly kinds: readonly string[] }[];
}

/**
 * Turns a finished attempt folder into a sealed bundle: plan, run facts, results and reports are written once,
 * manifest.json last. Sealing the same folder again gives the same bytes.
 * @throws RbError RB701 when a file is there with other content, RB704 when a secret is in a file that nothing can be
 * computed without.
 */
export async function sealBundle(input: SealInput): Promise<Sealed> {
  const { bundleDir, stopBaseline, screen } = input;
  if (stopBaseline !== null)
    await writeOnce(bundleDir, BUNDLE_FILES.baseline, stopBaselineText(stopBaseline));
  for (const { name, text } of [
    { name: BUNDLE_FILES.plan, text: stableJson(input.plan) },
    { name: BUNDLE_FILES.run, text: stableJson(input.run) },
    ...(input.template === null ? [] : [{ name: BUNDLE_FILES.template, text: input.template }]),
    ...input.documents,
  ]) {
    refuseSecrets(name, secretsIn(text, input.secrets));
    refuseHeldOut(name, text, screen);
    await writeOnce(bundleDir, name, text);
  }
  // An unfinished attempt may be continued, with what was recorded of a session that still runs.
  if (input.complete) dropUnfinishedArchives(bundleDir);
  const scanned = scanFolder(bundleDir, input.secrets, screen);
  const quarantined = await quarantine(bundleDir, scanned.hits);
  const breathe = breather();
  const { report, ids } = await compute(input, breathe);
  const { results, records, decision } = report;
  const { digests } = scanned;
  for (const { name, parts } of renderFiles(report, input.template)) {
    digests.add(name, await writeScreened(input, name, parts()));
    await breathe();
  }
  // Its entries are those of raw/, which were scanned.
  const sessions = sessionsDocument(bundleDir, input.run.runId, ids);
  digests.add(BUNDLE_FILES.sessions, await writeOnceParts(bundleDir, BUNDLE_FILES.sessions, sessions));
  const reportFile = reportFileName(results.suite, results.run.runId);
  const unsealed = {
    records,
    results,
    decision,
    heldOut: report.heldOut ?? null,
    manifestSha256: null,
    reportFile,
    quarantined,
  };
  if (!input.complete) return unsealed;
  const manifest = makeManifest(input, digests, quarantined);
  const { sha256 } = await writeOnceParts(bundleDir, BUNDLE_FILES.manifest, stableJsonParts(manifest));
  return { ...unsealed, manifestSha256: sha256 };
}

/** What is rendered, and the sessions that may be in raw/. Of the journal nothing else stays in memory. */
async function compute(
  { bundleDir, audience, shownAs }: SealInput,
  breathe: Breathe,
): Promise<{ readonly report: ReportInput; readonly ids: readonly string[] }> {
  const documents = await readBundleDocuments(bundleDir, { breathe });
  const computed = await recompute(bundleDir, documents, { breathe });
  if (computed.importFaults !== undefined && computed.importFaults.length > 0)
    throw importDiffers(computed.importFaults);
  const report = sealedReport(documents, computed, { audience, bundleDir: shownAs });
  return { report, ids: archivedIds(documents.journal.records) };
}

/** Nothing of a text is written from the piece on in which a secret or a held-out cell is found. */
async function writeScreened(input: SealInput, name: string, parts: Iterable<string>): Promise<FileDigest> {
  const scanner = secretScanner(input.secrets);
  const names = streamScreen(input.screen ?? null);
  return writeOnceParts(input.bundleDir, name, parts, (piece) => {
    scanner.feed(piece);
    names.feed(piece);
    refuseSecrets(name, scanner.found());
    if (names.found().length > 0) throw heldOutRefusal(name);
  });
}

/** What a crash left of archives that were never whole; nothing refers to them. */
function dropUnfinishedArchives(bundleDir: string): void {
  const raw = path.join(bundleDir, BUNDLE_FILES.raw);
  let names: string[];
  try {
    names = readdirSync(raw);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const name of names.filter((each) => /^\..*\.partial$/.test(each))) {
    rmSync(path.join(raw, name), { recursive: true, force: true });
  }
}

function makeManifest(
  input: SealInput,
  digests: PackedDigests,
  quarantined: readonly Hit[],
): Omit<Manifest, 'files'> & { readonly files: Iterable<Manifest['files'][number]> } {
  const { run, origin, shownAs } = input;
  const held = new Set<string>([BUNDLE_FILES.manifest, ...quarantined.map((hit) => hit.path)]);
  return {
    schema: MANIFEST_SCHEMA_ID,
    runId: run.runId,
    attempt: run.attempt,
    planDigest: run.planDigest,
    tool: run.tool,
    kind: origin.kind,
    redactedFrom: origin.kind === 'redacted' ? origin.from : null,
    ...(shownAs === null || shownAs === attemptFolder(run.runId, run.attempt) ? {} : { shownAs }),
    files: digests.sorted(held),
    leftOut: quarantined.map((hit) => ({ path: hit.path, reason: `held back: ${hit.kinds.join(', ')}` })),
  };
}
