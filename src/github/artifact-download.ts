import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { artifactServiceMissing } from './artifacts.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';
import type { ZipLimits } from './zip-directory.ts';
import { BUNDLE_ZIP_LIMITS, extractZip } from './zip-extract.ts';

const PURPOSE: Purpose = { what: 'read the artifacts of the run', permissions: ['actions: read'] };
/** Compressed; what is larger is not a bundle. */
const MAX_ARCHIVE_BYTES = 2_000_000_000;

interface FoundArtifact {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
}

/** Artifacts of a run: of this one by the artifact service without any permission, of another one by the API. */
export interface ArtifactSource {
  list(): Promise<readonly FoundArtifact[]>;
  /** Fetches the archive into `folder`. @returns its path */
  fetch(artifact: FoundArtifact, folder: string): Promise<string>;
}

/** @returns null where there is no artifact service */
export async function artifactsOfThisRun(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ArtifactSource | null> {
  if (artifactServiceMissing(env) !== null) return null;
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const service = new DefaultArtifactClient();
  return {
    list: async () => {
      const { artifacts } = await reached('of this run', service.listArtifacts({ latest: true }));
      return artifacts.map(({ id, name, size }) => ({ id, name, bytes: size }));
    },
    fetch: async ({ id, name }, folder) => {
      // Never its own extraction: that follows names and links of the archive.
      await reached(name, service.downloadArtifact(id, { path: folder, skipDecompress: true }));
      const [file, ...others] = await readdir(folder);
      if (file === undefined || others.length > 0) throw unfetched(name, 'the service sent no single file');
      return join(folder, file);
    },
  };
}

/** The library throws errors of many classes; all of them mean that the service did not do it. */
async function reached<T>(name: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw unfetched(name, reason.replace(/\s+/g, ' ').slice(0, 300).replace(/\.$/, ''));
  }
}

const listSchema = z.object({
  artifacts: z.array(
    z.object({ id: z.number(), name: z.string(), size_in_bytes: z.number(), expired: z.boolean() }),
  ),
});

/** Artifacts of another run of this repository; the token needs `actions: read`. */
export function artifactsOfRun(client: GitHubClient, repository: Repository, runId: number): ArtifactSource {
  return {
    list: async () => {
      const found = await client.list(
        {
          route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
          params: { ...repository, run_id: runId },
          schema: listSchema,
          purpose: PURPOSE,
        },
        ({ artifacts }) => artifacts,
      );
      return found
        .filter(({ expired }) => !expired)
        .map(({ id, name, size_in_bytes: bytes }) => ({ id, name, bytes }));
    },
    fetch: async (artifact, folder) => {
      const { headers } = await client.exchange({
        route: 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
        params: { ...repository, artifact_id: artifact.id, archive_format: 'zip' },
        schema: z.unknown(),
        purpose: PURPOSE,
      });
      const address = headers['location'];
      if (address === undefined) throw unfetched(artifact.name, 'GitHub names no address to fetch it from');
      const path = join(folder, 'artifact.zip');
      await fetchFile(artifact.name, address, path);
      return path;
    },
  };
}

/** Signed addresses carry their own right; the token stays with GitHub. */
async function fetchFile(name: string, address: string, path: string): Promise<void> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10 * 60_000) });
  if (!answer.ok || answer.body === null) throw unfetched(name, `the storage answered ${answer.status}`);
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > MAX_ARCHIVE_BYTES) throw unfetched(name, `it is larger than ${MAX_ARCHIVE_BYTES} bytes`);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
}

/**
 * Fetches one artifact and extracts it into a new folder, taking nothing the archive says for granted.
 * @param temp an existing folder for the archive while it is read
 * @returns names of the extracted files
 * @throws RbError RB822 (cannot be fetched), RB823 (refused); GitHubFailure
 */
export async function fetchArtifact(
  source: ArtifactSource,
  artifact: FoundArtifact,
  { temp, into, limits = BUNDLE_ZIP_LIMITS }: { temp: string; into: string; limits?: ZipLimits },
): Promise<string[]> {
  if (artifact.bytes > MAX_ARCHIVE_BYTES)
    throw unfetched(artifact.name, `it is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  const folder = await mkdtemp(join(temp, 'artifact-'));
  try {
    const archive = await source.fetch(artifact, folder);
    return await extractZip(archive, into, limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unfetched(name: string, reason: string): RbError {
  const fix = 'Check that the artifact exists and has not expired, and that the token has `actions: read`.';
  return errorOf('RB822', {
    where: `artifact ${name}`,
    message: `It cannot be fetched: ${reason}.`,
    fix,
  });
}
