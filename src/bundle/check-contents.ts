import { IMPORT_FOLDER, NAMES_FILE } from '../import/read-imported.ts';
import type { Manifest } from '../model/manifest.ts';
import { RECORDING_FILE } from '../model/policy-recording.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { TASK_CHART } from '../report/view/report-view.ts';
import type { Difference } from './difference.ts';
import type { BundleDocuments } from './documents.ts';
import { BUNDLE_FILES, reportFileName } from './layout.ts';

type Documents = Pick<BundleDocuments, 'plan' | 'run'>;
/** As `ArchiveCheck` names what was archived. */
type Archived = ReadonlyMap<string, ReadonlySet<string> | null>;

/** What every bundle has, whatever it is of. */
function pagesOf({ plan, run }: Documents): readonly string[] {
  return [
    BUNDLE_FILES.csv,
    BUNDLE_FILES.junit,
    BUNDLE_FILES.page,
    BUNDLE_FILES.sessions,
    reportFileName(plan.suite, run.runId),
    TASK_CHART,
    ...(run.exports?.includes('wandb') === true ? [BUNDLE_FILES.wandb] : []),
    ...(run.exports?.includes('hf-model-card') === true ? [BUNDLE_FILES.modelIndex] : []),
  ];
}

/**
 * Files that the manifest lists though no bundle of this kind has them, and computed files that every bundle has and
 * this one lacks: what a person opens beside the evidence must follow from it. Pure.
 */
export function contentFaults(documents: Documents, manifest: Manifest, archived: Archived): Difference[] {
  const listed = new Set(manifest.files.map(({ path }) => path));
  for (const { path } of manifest.leftOut) listed.add(path);
  const pages = pagesOf(documents);
  const plain = new Set<string>([...pages, ...ownFiles(documents)]);
  const raw = rawFiles(documents.run, archived);
  const imported = importedFiles(documents);
  const foreign = manifest.files
    .filter(({ path }) => !plain.has(path) && !raw(path) && !imported.has(path))
    .map(({ path }) => difference('extra', path, 'no bundle of this kind has such a file'));
  const absent = [...pages, BUNDLE_FILES.results, BUNDLE_FILES.episodes]
    .filter((name) => !listed.has(name))
    .map((name) => difference('missing', name, 'every bundle has it'));
  return [...foreign, ...absent];
}

function difference(kind: Difference['kind'], path: string, message: string): Difference {
  return { kind, path, message };
}

function ownFiles({ plan, run }: Documents): readonly string[] {
  const { heldOut } = plan;
  return [
    BUNDLE_FILES.plan,
    BUNDLE_FILES.run,
    BUNDLE_FILES.journal,
    BUNDLE_FILES.episodes,
    BUNDLE_FILES.results,
    BUNDLE_FILES.template,
    BUNDLE_FILES.interrupted,
    BUNDLE_FILES.fatal,
    BUNDLE_FILES.videos,
    ...(plan.stopBaseline === undefined ? [] : [BUNDLE_FILES.baseline]),
    ...(run.qualification === undefined ? [] : [BUNDLE_FILES.qualification]),
    ...(heldOut === undefined || heldOut.salt !== undefined ? [] : [BUNDLE_FILES.heldOut]),
    // Whether they belong is said by the check of approvals, in its own words.
    BUNDLE_FILES.approval,
    BUNDLE_FILES.reservation,
  ];
}

/** Files of another tool that run.json names. */
function importedFiles({ run: { imported } }: Pick<Documents, 'run'>): ReadonlySet<string> {
  if (imported === undefined) return new Set();
  const names = [...imported.files.map(({ stored }) => stored), ...(imported.names ? [NAMES_FILE] : [])];
  return new Set(names.map((name) => `${IMPORT_FOLDER}/${name}`));
}

/** Evidence of the sessions that the journal tells of; of a collected one, what was archived then. */
function rawFiles(run: RunFacts, archived: Archived): (path: string) => boolean {
  const names = new Set<string>([
    ...Object.values(ARCHIVE_FILES),
    ...(run.recording === undefined ? [] : [RECORDING_FILE]),
  ]);
  return (path) => {
    if (!path.startsWith(`${BUNDLE_FILES.raw}/`)) return false;
    // The runtime's June version takes ids with slashes.
    const cut = path.lastIndexOf('/');
    const [sessionId, name] = [path.slice(BUNDLE_FILES.raw.length + 1, cut), path.slice(cut + 1)];
    const files = archived.get(sessionId);
    return names.has(name) && files !== undefined && (files === null || files.has(name));
  };
}
