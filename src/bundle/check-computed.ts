import { stableJsonParts } from '../base/stable-json.ts';
import { RbError } from '../errors/rb-error.ts';
import { sha256OfParts } from '../files/hash-file.ts';
import { textDigest } from '../files/text-pieces.ts';
import type { Manifest } from '../model/manifest.ts';
import { RESULTS_SCHEMA_ID } from '../model/results.ts';
import type { Breathe } from '../platform/breathe.ts';
import { checkTemplate, templateCost } from '../report/markdown.ts';
import type { ReportInput } from '../report/view/report-input.ts';
import { reportView } from '../report/view/report-view.ts';
import type { Difference } from './difference.ts';
import { type BundleDocuments, readTextOrNull, requireKnownSchema } from './documents.ts';
import { attemptFolder, BUNDLE_FILES } from './layout.ts';
import type { Recomputed } from './recompute.ts';
import { episodesJsonl, renderFiles } from './render-files.ts';
import { sealedReport } from './render-sealed.ts';
import { archivedIds, sessionsDocument } from './sessions-document.ts';
import { parseStrictJson } from './strict-json.ts';

interface ComputedInput {
  readonly bundleDir: string;
  readonly manifest: Manifest;
  readonly documents: BundleDocuments;
  readonly computed: Recomputed;
}

/**
 * results.json and episodes.jsonl, computed again and compared byte for byte.
 * @throws RbError RB702 when the results are of another release's computation.
 */
export function resultFaults(input: ComputedInput): Difference[] {
  const { bundleDir, computed } = input;
  const written = readTextOrNull(bundleDir, BUNDLE_FILES.results);
  if (written !== null) requireKnownResults(written);
  return [
    ...compared(input, BUNDLE_FILES.results, () => stableJsonParts(computed.results)),
    ...compared(input, BUNDLE_FILES.episodes, () => episodesJsonl(computed.records)),
  ];
}

/** More than any report of ours; a template that writes more is made to. */
const MAX_TEMPLATE_OUTPUT = 64 * 1024 * 1024;

/**
 * Every file that people open, rendered again with the sealed template and compared. Only the program that rendered them
 * can: how they look may change in any release.
 */
export async function pageFaults(input: ComputedInput, breathe: Breathe): Promise<Difference[]> {
  const { bundleDir, manifest, documents, computed } = input;
  const { run, journal } = documents;
  const isListed = manifest.files.some(({ path }) => path === BUNDLE_FILES.template);
  const template = isListed ? readTextOrNull(bundleDir, BUNDLE_FILES.template) : null;
  const shownAs =
    manifest.shownAs ?? (manifest.kind === 'sealed' ? attemptFolder(run.runId, run.attempt) : null);
  await breathe();
  const report = sealedReport(documents, computed, { audience: 'published', bundleDir: shownAs });
  if (template !== null && !isBounded(template, report))
    return [{ kind: 'rendered', path: BUNDLE_FILES.template, message: 'no report was made with it' }];
  const faults: Difference[] = [];
  for (const { name, parts } of renderFiles(report, template)) {
    if (name === BUNDLE_FILES.results || name === BUNDLE_FILES.episodes) continue;
    faults.push(...compared(input, name, parts, 'rendered'));
    await breathe();
  }
  const ids = archivedIds(journal.records);
  const sessions = await sha256OfParts(sessionsDocument(bundleDir, run.runId, ids), breathe);
  if (sessions !== hashIn(manifest, BUNDLE_FILES.sessions))
    faults.push({
      kind: 'rendered',
      path: BUNDLE_FILES.sessions,
      message: 'made again from raw/ it is another text',
    });
  return faults;
}

function isBounded(template: string, report: ReportInput): boolean {
  try {
    checkTemplate(template);
    return templateCost(template, reportView(report)) <= MAX_TEMPLATE_OUTPUT;
  } catch (error) {
    if (error instanceof RbError) return false;
    throw error;
  }
}

function hashIn({ files }: Manifest, name: string): string | null {
  return files.find(({ path }) => path === name)?.sha256 ?? null;
}

/** What is missing was said before. */
function compared(
  { bundleDir, manifest }: ComputedInput,
  name: string,
  computed: () => Iterable<string>,
  kind: 'results' | 'rendered' = 'results',
): Difference[] {
  const listed = hashIn(manifest, name);
  if (listed === null || listed === textDigest(computed()).sha256) return [];
  const written = readTextOrNull(bundleDir, name);
  const lines = written?.split('\n') ?? [];
  const line = [...computed()]
    .join('')
    .split('\n')
    .findIndex((each, index) => each !== lines[index]);
  const where = `line ${line === -1 ? lines.length : line + 1}`;
  const made = kind === 'results' ? 'computed' : 'rendered';
  return [{ kind, path: name, message: `${made} again from raw/ it differs from ${where} on` }];
}

function requireKnownResults(text: string): void {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch {
    // Not JSON is a difference, said by the comparison.
    return;
  }
  if (typeof value === 'object' && value !== null && 'schema' in value) {
    requireKnownSchema(BUNDLE_FILES.results, value, RESULTS_SCHEMA_ID);
  }
}
