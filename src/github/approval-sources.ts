import * as z from 'zod';
import type { Evidence } from '../approval/records.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';

/** Where approvals are read, and how links to pages begin. */
export interface ApprovalPlace {
  readonly client: GitHubClient;
  readonly repository: Repository;
  /** `https://github.com` */
  readonly serverUrl: string;
}

/** What GitHub says, or why that is no approval, in words. */
export type Reading = { readonly evidence: Evidence } | { readonly refused: string };

const REVIEWS: Purpose = { what: 'read the reviews of the environment', permissions: ['actions: read'] };
const MAX_COMMENT = 500;

const reviewsSchema = z.array(
  z.object({
    environments: z.array(z.object({ name: z.string() })),
    state: z.string(),
    user: z.object({ login: z.string() }),
    comment: z.string(),
  }),
);

export interface EnvironmentRequest {
  /** The workflow run that waited for the environment. */
  readonly runId: number;
  /** Null: the only one that was approved. */
  readonly environment: string | null;
  /** Digest of the plan that the approval must be for. */
  readonly planDigest: string;
}

/**
 * The newest approval of an environment by a required reviewer. A run that is started again is asked about again, and its
 * history then shows one approval more.
 * @throws GitHubFailure
 */
export async function environmentApproval(
  place: ApprovalPlace,
  request: EnvironmentRequest,
): Promise<Reading> {
  const { client, repository } = place;
  const reviews = await client.request({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/approvals',
    params: { ...repository, run_id: request.runId },
    schema: reviewsSchema,
    purpose: REVIEWS,
  });
  const approved = reviews.filter(({ state }) => state === 'approved');
  const names = [...new Set(approved.flatMap(({ environments }) => environments.map(({ name }) => name)))];
  const environment = request.environment ?? (names.length === 1 ? names[0] : undefined);
  if (environment === undefined) {
    return {
      refused:
        names.length === 0
          ? 'no required reviewer approved an environment of this workflow run'
          : `several environments were approved (${names.join(', ')}); name one with approval-environment`,
    };
  }
  const own = approved.filter(({ environments }) => environments.some(({ name }) => name === environment));
  const [review] = own.slice(-1);
  if (review === undefined)
    return { refused: `no required reviewer approved the environment ${environment}` };
  const named = own.flatMap(({ comment }) => digestsIn(comment));
  if (named.length > 0 && !named.some((digest) => request.planDigest.startsWith(digest)))
    return {
      refused: `the reviewer approved plan ${named.join(', ')}, this is ${request.planDigest.slice(0, 12)}`,
    };
  const name = `${repository.owner}/${repository.repo}`;
  return {
    evidence: {
      repository: name,
      reference: { source: 'environment', runId: request.runId, environment, ordinal: own.length },
      actor: review.user.login,
      permission: null,
      at: null,
      url: `${place.serverUrl}/${name}/actions/runs/${request.runId}`,
      comment: review.comment === '' ? null : review.comment.slice(0, MAX_COMMENT),
    },
  };
}

/** Digests of plans that a comment names: `plan 1a2b3c4d…`, or 64 digits by themselves; a commit's 40 are none. */
function digestsIn(comment: string): string[] {
  const named = [...comment.matchAll(/\bplan(?:\s+digest)?[:\s]+`?([0-9a-f]{8,64})\b/gi)];
  const bare = [...comment.matchAll(/(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])/gi)];
  return [...new Set([...named, ...bare].map(([, digest = '']) => digest.toLowerCase()))];
}
