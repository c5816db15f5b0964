import * as z from 'zod';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { ReadFile } from '../history/publication.ts';
import type { GitHubClient, Repository } from './client.ts';
import { GitHubFailure, type Purpose } from './failure.ts';

/** A history is at most half a megabyte; whatever is larger is not ours. */
const READ_MAX_BYTES = 20_000_000;

export const READ_BRANCH: Purpose = { what: 'read the report branch', permissions: ['contents: write'] };

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const branchSchema = z.object({ commit: z.object({ sha, commit: z.object({ tree: z.object({ sha }) }) }) });
const treeSchema = z.object({
  truncated: z.boolean().optional(),
  tree: z.array(z.object({ path: z.string().optional(), type: z.string().optional(), sha: sha.optional() })),
});
const blobSchema = z.object({ content: z.string(), encoding: z.string(), size: z.number().nullable() });

/** A branch as it was at one commit; an absent branch is empty. */
export interface BranchSnapshot {
  readonly branch: string;
  readonly commit: string | null;
  readonly tree: string | null;
  /** Blob ids by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly read: ReadFile;
}

/** @throws GitHubFailure when the branch cannot be read; an absent branch is an empty snapshot */
export async function readBranch(
  client: GitHubClient,
  repository: Repository,
  branch: string,
): Promise<BranchSnapshot> {
  const head = await headOf(client, repository, branch);
  if (head === null) return { branch, commit: null, tree: null, files: new Map(), read: async () => null };
  const { data } = await client.exchange({
    route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
    params: { ...repository, tree_sha: head.tree, recursive: '1' },
    schema: treeSchema,
    purpose: READ_BRANCH,
  });
  if (data.truncated === true) throw tooMuch('The branch holds more files than GitHub lists.', branch);
  const blobs = data.tree.flatMap(({ path, type, sha: id }) =>
    type === 'blob' && path !== undefined && id !== undefined ? [[path, id] as const] : [],
  );
  const files = new Map(blobs);
  const cache = new Map<string, Promise<string>>();
  const read: ReadFile = async (path) => {
    const id = files.get(path);
    if (id === undefined) return null;
    const text = cache.get(path) ?? blobText(client, repository, { path, id });
    cache.set(path, text);
    return text;
  };
  return { branch, ...head, files, read };
}

async function headOf(
  client: GitHubClient,
  repository: Repository,
  branch: string,
): Promise<{ commit: string; tree: string } | null> {
  try {
    const found = await client.request({
      route: 'GET /repos/{owner}/{repo}/branches/{branch}',
      params: { ...repository, branch },
      schema: branchSchema,
      purpose: READ_BRANCH,
    });
    return { commit: found.commit.sha, tree: found.commit.commit.tree.sha };
  } catch (error) {
    // "Not Found" may also mean: not yours to see. Only the branch itself may be absent.
    if (error instanceof GitHubFailure && error.status === 404 && /branch not found/i.test(error.reason))
      return null;
    throw error;
  }
}

async function blobText(
  client: GitHubClient,
  repository: Repository,
  { path, id }: { path: string; id: string },
): Promise<string> {
  const blob = await client.request({
    route: 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
    params: { ...repository, file_sha: id },
    schema: blobSchema,
    purpose: READ_BRANCH,
  });
  if ((blob.size ?? 0) > READ_MAX_BYTES)
    throw tooMuch(`${path} is larger than ${READ_MAX_BYTES} bytes.`, path);
  return Buffer.from(blob.content, blob.encoding === 'base64' ? 'base64' : 'utf8').toString('utf8');
}

/** RB812: more than a report branch is made for. */
export function tooMuch(message: string, where: string): RbError {
  const fix =
    'Publish fewer suites in one report, lower the history cap, or leave large files to the artifact.';
  return errorOf('RB812', { where, message, fix });
}
