import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { sha256Of } from '../../base/sha256.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { uploadArtifact } from '../../github/artifacts.ts';
import { encodeSegment } from '../../history/branch-segment.ts';
import { idSlug } from '../../plan/ids.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { bestEffort } from '../best-effort.ts';
import type { VerbContext } from '../verb.ts';
import type { ReportFile } from './write-report.ts';

/** A page has a megabyte or two; the report goes on without it. */
const UPLOAD_DEADLINE_MS = 2 * 60_000;
/** One file each; beyond it the report branch and the summary have to do. */
const MAX_PAGES = 8;

/** Addresses at which a browser opens the decided page of a suite; by suite. */
export type PageAddresses = ReadonlyMap<string, string>;

interface PageRequest {
  readonly verb: Pick<VerbContext, 'env' | 'clock' | 'log'>;
  readonly context: RunContext;
  readonly suites: readonly string[];
  /** Screened already. */
  readonly files: readonly ReportFile[];
}

/**
 * Uploads the decided page of each suite as an artifact of its own that is not zipped, so that a click opens it. One that
 * cannot be uploaded is a warning; without an artifact service there is none.
 */
export async function uploadPages({ verb, context, suites, files }: PageRequest): Promise<PageAddresses> {
  const addresses = new Map<string, string>();
  if (context.runUrl === null) return addresses;
  for (const suite of suites.slice(0, MAX_PAGES)) {
    const page = files.find((file) => file.path === `${encodeSegment(suite)}/${BUNDLE_FILES.page}`);
    if (page === undefined) continue;
    const name = pageName(suite, page.content, context);
    const id = await bestEffort(verb.log, () => uploadPage(name, page.content, verb));
    if (id !== null) addresses.set(suite, `${context.runUrl}/artifacts/${id}`);
  }
  return addresses;
}

/** Not the beginning of a bundle's name, by which `report` finds those. The hash tells the jobs of a matrix apart. */
function pageName(suite: string, content: string, { job, runAttempt }: RunContext): string {
  const parts = [
    'benchmark-page',
    idSlug(suite).slice(0, 80),
    `a${runAttempt ?? 1}`,
    idSlug(job ?? 'job').slice(0, 40),
  ];
  return `${parts.join('-')}-${sha256Of(content).slice(0, 8)}.html`;
}

/** Null without an artifact service. */
async function uploadPage(name: string, content: string, verb: PageRequest['verb']): Promise<number | null> {
  const root = await mkdtemp(path.join(verb.env.RUNNER_TEMP ?? tmpdir(), 'rollout-bench-page-'));
  try {
    const file = path.join(root, name);
    await writeFile(file, content);
    const upload = { name, files: [file], root, retentionDays: null, deadlineMs: UPLOAD_DEADLINE_MS };
    const outcome = await uploadArtifact({ ...upload, unzipped: true }, verb);
    return outcome.kind === 'uploaded' ? outcome.id : null;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
