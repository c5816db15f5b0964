import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { sha256Of } from '../base/sha256.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { GitHubClient, Repository } from './client.ts';
import { GitHubFailure, type Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'attach the bundle to the release', permissions: ['contents: write'] };

const releaseSchema = z.object({
  id: z.number(),
  tag_name: z.string(),
  upload_url: z.string(),
  draft: z.boolean().optional(),
  /** Absent on servers that know no immutable releases. */
  immutable: z.boolean().optional(),
});
type Release = z.infer<typeof releaseSchema>;
/** Drafts are among the newest releases; a repository may have thousands of old ones. */
const MAX_RELEASE_PAGES = 3;
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
 * replaced: equal content counts as done, other content gets a name with its hash. A draft is as good as a published
 * release, and better where releases are immutable: those take files only before they are published.
 * @param path the archive
 * @throws RbError RB831 without a release, RB818 with one that takes no more files; GitHubFailure
 */
export async function attachToRelease(
  client: GitHubClient,
  repository: Repository,
  { tag, path, name }: { tag: string; path: string; name: string },
): Promise<AssetOutcome> {
  const release = await releaseOf(client, repository, tag);
  const content = await readFile(path);
  const sha256 = sha256Of(content);
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
  if (release.immutable === true && release.draft !== true) throw immutable(tag);
  const taken = assets.some((asset) => asset.name === name);
  const free = taken ? `${sha256.slice(0, 12)}-${name}` : name;
  const asset = await client.request({
    route: `POST ${release.upload_url.replace(/\{[^}]*\}$/, '')}?name=${encodeURIComponent(free)}`,
    params: {
      data: content,
      // No content-length: fetch sends one for a body of known length, and Node 24 refuses a second.
      headers: { 'content-type': 'application/octet-stream' },
    },
    schema: assetSchema,
    purpose: PURPOSE,
  });
  return { url: asset.browser_download_url, sha256, present: false };
}

async function releaseOf(client: GitHubClient, repository: Repository, tag: string): Promise<Release> {
  try {
    return await client.request({
      route: 'GET /repos/{owner}/{repo}/releases/tags/{tag}',
      params: { ...repository, tag },
      schema: releaseSchema,
      purpose: PURPOSE,
    });
  } catch (error) {
    if (!(error instanceof GitHubFailure) || error.status !== 404) throw error;
    const draft = await draftOf(client, repository, tag);
    if (draft !== null) return draft;
    const fix = `Create a draft for ${tag} before the report (gh release create ${tag} --draft --verify-tag) and publish it afterwards, or keep the artifact elsewhere before it expires.`;
    throw errorOf('RB831', {
      where: `tag ${tag}`,
      message: 'There is no release for it.',
      fix,
    });
  }
}

/** A draft is not found by its tag, and listed only for tokens that may write. */
async function draftOf(client: GitHubClient, repository: Repository, tag: string): Promise<Release | null> {
  const releases = await client.list(
    {
      route: 'GET /repos/{owner}/{repo}/releases',
      params: { ...repository },
      schema: z.array(releaseSchema),
      purpose: PURPOSE,
    },
    (page) => page,
    MAX_RELEASE_PAGES,
  );
  return releases.find((release) => release.draft === true && release.tag_name === tag) ?? null;
}

function immutable(tag: string): RbError {
  return errorOf('RB818', {
    where: `tag ${tag}`,
    message: 'Its release is published and immutable, so it takes no more files.',
  });
}
