import * as z from 'zod';
import type { Account } from '../approval/approvers.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';
import { type Push, pushesTo } from './pushes.ts';

const PURPOSE: Purpose = { what: 'read who merged the approved plan', permissions: ['contents: read'] };
/** Ten of GitHub's pages: a branch that was pushed to more often since is not looked through. */
const PUSHES_LOOKED_AT = 1000;
/** What GitHub gives for the commit before a branch was made. */
const NOTHING = /^0+$/;

const commitsSchema = z.array(z.object({ sha: z.string() }));
const compareSchema = z.object({ status: z.string() });

interface MergedFile {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly branch: string;
  /** Inside the repository. */
  readonly path: string;
  /** Commit that the branch is looked at. */
  readonly tip: string;
}

/**
 * The account by whose push or merge a file came onto a branch as it is now, by GitHub's record of pushes: names and
 * dates in commits are written by their authors. Null when that record does not tell.
 * @throws GitHubFailure
 */
export async function whoMerged(file: MergedFile): Promise<Account | null> {
  const { client, repository, branch, path, tip } = file;
  const [last] = await client.request({
    route: 'GET /repos/{owner}/{repo}/commits',
    params: { ...repository, sha: tip, path, per_page: 1 },
    schema: commitsSchema,
    purpose: PURPOSE,
  });
  if (last === undefined) return null;
  const name = `${repository.owner}/${repository.repo}`;
  const pushes = sinceMadeAnew(await pushesTo(client, { repository: name, branch, count: PUSHES_LOOKED_AT }));
  const at = await oldestWith(pushes, (commit) => contains(file, last.sha, commit));
  const push = at === null ? undefined : pushes[at];
  if (push === undefined) return null;
  // The oldest one that is known may stand on what came before it.
  const isKnown = at !== pushes.length - 1 || push.anew || !(await contains(file, last.sha, push.before));
  return isKnown ? push.actor : null;
}

/** Where a branch was set anew, whoever did that brought all that was on it then. Pure. */
function sinceMadeAnew(pushes: readonly Push[]): readonly Push[] {
  const at = pushes.findIndex(({ anew }) => anew);
  return at < 0 ? pushes : pushes.slice(0, at + 1);
}

/** Newest first, what a branch has once it keeps: half of what is left is looked at each time. Null: none has it. */
async function oldestWith(
  pushes: readonly Push[],
  has: (commit: string) => Promise<boolean>,
): Promise<number | null> {
  let [first, end] = [0, pushes.length];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const push = pushes[middle];
    if (push !== undefined && (await has(push.after))) first = middle + 1;
    else end = middle;
  }
  return first === 0 ? null : first - 1;
}

async function contains(
  { client, repository }: MergedFile,
  commit: string,
  head: string | null,
): Promise<boolean> {
  if (head === null || NOTHING.test(head)) return false;
  const { status } = await client.request({
    route: 'GET /repos/{owner}/{repo}/compare/{base}...{head}',
    params: { ...repository, base: commit, head, per_page: 1 },
    schema: compareSchema,
    purpose: PURPOSE,
  });
  return status === 'ahead' || status === 'identical';
}
