import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { EXIT, RbError } from '../errors/rb-error.ts';
import type { GitHubClient, Repository } from './client.ts';
import { GitHubFailure, type Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'attach the bundle to the release', permissions: ['contents: write'] };

const releaseSchema = z.object({ id: z.number(), upload_url: z.string() });
const assetSchema = z.object({
  id: z.number(),
  name: z.string(),
  size: z.number(),
  digest: z.string().nullish(),
  browser_download_url: z.string(),
});

export interface AssetOutcome {
  readonly url: string;
  readonly sha256: string;
  /** It was there already, byte for byte. */
  readonly present: boolean;
}

/**
 * Attaches a sealed archive to the release of a tag, because artifacts expire. An asset of the same name is never
 * replaced: equal content counts as done, other content gets a name with its hash.
 * @param path the archive
 * @throws RbError RB831 without a release; GitHubFailure
 */
export async function attachToRelease(
  client: GitHubClient,
  repository: Repository,
  { tag, path, name }: { tag: string; path: string; name: string },
): Promise<AssetOutcome> {
  const release = await releaseOf(client, repository, tag);
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const assets = await client.list(
    {
      route: 'GET /repos/{owner}/{repo}/releases/{release_id}/assets',
      params: { ...repository, release_id: release.id },
      schema: z.array(assetSchema),
      purpose: PURPOSE,
    },
    (page) => page,
  );
  const equal = assets.find(({ digest }) => digest === `sha256:${sha256}`);
  if (equal !== undefined) return { url: equal.browser_download_url, sha256, present: true };
  const taken = assets.some((asset) => asset.name === name);
  const free = taken ? `${sha256.slice(0, 12)}-${name}` : name;
  const asset = await client.request({
    route: `POST ${release.upload_url.replace(/\{[^}]*\}$/, '')}?name=${encodeURIComponent(free)}`,
    params: {
      data: content,
      headers: { 'content-type': 'application/octet-stream', 'content-length': content.length },
    },
    schema: assetSchema,
    purpose: PURPOSE,
  });
  return { url: asset.browser_download_url, sha256, present: false };
}

async function releaseOf(client: GitHubClient, repository: Repository, tag: string) {
  try {
    return await client.request({
      route: 'GET /repos/{owner}/{repo}/releases/tags/{tag}',
      params: { ...repository, tag },
      schema: releaseSchema,
      purpose: PURPOSE,
    });
  } catch (error) {
    if (!(error instanceof GitHubFailure) || error.status !== 404) throw error;
    const fix = `Create the release for ${tag} first, or keep the artifact elsewhere before it expires.`;
    throw new RbError(EXIT.noVerdict, [
      { code: 'RB831', where: `tag ${tag}`, message: 'There is no release for it.', fix, severity: 'fatal' },
    ]);
  }
}
