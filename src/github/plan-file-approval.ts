import * as z from 'zod';
import { type Plan, planSchema } from '../plan/plan.ts';
import { planDifferences } from '../plan/plan-differences.ts';
import type { ApprovalPlace, Reading } from './approval-sources.ts';
import type { Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'read the approved plan', permissions: ['contents: read'] };
/** A plan of 100,000 cells. */
const MAX_PLAN_BYTES = 16 * 1024 * 1024;
const SHOWN_DIFFERENCES = 8;

const branchSchema = z.object({
  commit: z.object({ sha: z.string(), commit: z.object({ tree: z.object({ sha: z.string() }) }) }),
  protected: z.boolean(),
});
const treeSchema = z.object({
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), sha: z.string(), size: z.number().optional() }).partial(),
  ),
});
const blobSchema = z.object({ content: z.string(), encoding: z.literal('base64') });
/** A link would be a file that somebody else's merge can change. */
const PLAIN_FILE = ['100644', '100755'];
const FOLDER = '040000';
/** A plan by itself, or plans with their digests as `plan --json` prints them. What a file says of digests is not believed. */
const plansSchema = z.union([
  planSchema.transform((plan) => [plan]),
  z.array(z.object({ plan: planSchema }).transform(({ plan }) => plan)).min(1),
]);

export interface PlanFileRequest {
  /** Inside the repository. */
  readonly path: string;
  /** The branch that changes are merged into; never the one under test. */
  readonly branch: string;
  readonly plan: Plan;
}

/**
 * A plan that was merged into the base branch and is, field by field, the one to be run.
 * @throws GitHubFailure
 */
export async function planFileApproval(place: ApprovalPlace, request: PlanFileRequest): Promise<Reading> {
  const { client, repository } = place;
  const { path, branch } = request;
  const tip = await client.request({
    route: 'GET /repos/{owner}/{repo}/branches/{branch}',
    params: { ...repository, branch },
    schema: branchSchema,
    purpose: PURPOSE,
  });
  const file = await fileAt(place, path, tip.commit.commit.tree.sha);
  if (file === null) return { refused: `${path} is not on ${branch}` };
  const read = plansIn(file.text);
  if (typeof read === 'string') return { refused: `${path} on ${branch} is no plan: ${read}` };
  const approved = read.find(({ suite }) => suite === request.plan.suite);
  if (approved === undefined)
    return { refused: `${path} on ${branch} holds no plan of ${request.plan.suite}` };
  const differences = planDifferences(approved, request.plan);
  if (differences.length > 0)
    return { refused: `${path} on ${branch} is another plan: ${listed(differences)}` };
  const name = `${repository.owner}/${repository.repo}`;
  return {
    evidence: {
      repository: name,
      reference: {
        source: 'plan-file',
        path,
        branch,
        commit: tip.commit.sha,
        blob: file.sha,
        protected: tip.protected,
      },
      actor: null,
      permission: null,
      at: null,
      url: `${place.serverUrl}/${name}/blob/${tip.commit.sha}/${path}`,
      comment: null,
    },
  };
}

function listed(differences: readonly string[]): string {
  const more = differences.length - SHOWN_DIFFERENCES;
  return `${differences.slice(0, SHOWN_DIFFERENCES).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** Folder by folder from the branch's own tree: no link is followed. Null when there is no such plain file. */
async function fileAt(
  place: ApprovalPlace,
  path: string,
  tree: string,
): Promise<{ readonly sha: string; readonly text: string } | null> {
  const { client, repository } = place;
  const segments = path.split('/').filter((part) => part !== '' && part !== '.');
  let at = tree;
  for (const [index, segment] of segments.entries()) {
    const listing = await client.request({
      route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      params: { ...repository, tree_sha: at },
      schema: treeSchema,
      purpose: PURPOSE,
    });
    const wanted = index === segments.length - 1 ? PLAIN_FILE : [FOLDER];
    const entry = listing.tree.find((each) => each.path === segment && wanted.includes(each.mode ?? ''));
    if (entry?.sha === undefined) return null;
    if ((entry.size ?? 0) > MAX_PLAN_BYTES) return { sha: entry.sha, text: '' };
    at = entry.sha;
  }
  const blob = await client.request({
    route: 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
    params: { ...repository, file_sha: at },
    schema: blobSchema,
    purpose: PURPOSE,
  });
  return { sha: at, text: Buffer.from(blob.content, 'base64').toString('utf8') };
}

/** The plans that a file holds; a text says why it holds none. Unknown fields are refused: a plan cannot approve itself. */
function plansIn(text: string): readonly Plan[] | string {
  if (text.length === 0) return 'it is empty or larger than 16 MB';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = plansSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const single = planSchema.safeParse(value);
  const [issue] = single.success || Array.isArray(value) ? parsed.error.issues : single.error.issues;
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'it is not understood'}`.trim();
}
