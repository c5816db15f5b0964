import * as z from 'zod';
import { type Approvers, standingOf, startersOf, together } from '../approval/approvers.ts';
import type { ApprovalReference, Binding, Evidence } from '../model/approval.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';

/** Where approvals are read, and how links to pages begin. */
export interface ApprovalPlace {
  readonly client: GitHubClient;
  readonly repository: Repository;
  /** `https://github.com` */
  readonly serverUrl: string;
}

/** What GitHub says, or why that is no approval, in words; `excluded` when it is for who gave it. */
export type Reading =
  | { readonly evidence: Evidence }
  | { readonly refused: string }
  | { readonly excluded: string };

const REVIEWS: Purpose = { what: 'read the reviews of the environment', permissions: ['actions: read'] };
const RUN: Purpose = { what: 'read the workflow run that was approved', permissions: ['actions: read'] };
const MAX_COMMENT = 500;
const MAX_NAMED = 5;

const reviewsSchema = z.array(
  z.object({
    environments: z.array(z.object({ name: z.string() })),
    state: z.string(),
    user: z.object({ login: z.string(), type: z.string().optional() }),
    comment: z.string(),
  }),
);
type Review = z.infer<typeof reviewsSchema>[number];
const starter = z.object({ login: z.string() }).nullish();
const runSchema = z.object({
  head_sha: z.string(),
  event: z.string(),
  run_attempt: z.number().optional(),
  actor: starter,
  triggering_actor: starter,
});
type ApprovedRun = z.infer<typeof runSchema>;

interface EnvironmentRequest {
  /** The workflow run that waited for the environment. */
  readonly runId: number;
  /** Attempt of it that asks, from 1; null is unknown. */
  readonly attempt: number | null;
  /** Null: the only one that was approved. */
  readonly environment: string | null;
  /** Digest of the plan that the approval must be for. */
  readonly planDigest: string;
  readonly approvers: Approvers;
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
  const { repository } = place;
  const reviews = await reviewsOf(place, request.runId);
  const approved = reviews.filter(({ state }) => state === 'approved');
  const names = [...new Set(approved.flatMap(({ environments }) => environments.map(({ name }) => name)))];
  const environment = request.environment ?? (names.length === 1 ? names[0] : undefined);
  if (environment === undefined) {
    return {
      refused:
        names.length === 0
          ? 'no required reviewer approved an environment of this workflow run'
          : `several environments were approved (${names.join(', ')}); name one with approval: environment=…`,
    };
  }
  const own = approvalsOf(reviews, environment);
  if (own.length === 0) return { refused: `no required reviewer approved the environment ${environment}` };
  const isForIt = ({ comment }: Review): boolean => otherPlans(comment, request.planDigest).length === 0;
  if (!own.some(isForIt)) {
    const named = own.flatMap(({ comment }) => otherPlans(comment, request.planDigest));
    return { refused: approvedOther(named, request.planDigest) };
  }
  const approvers = withStarters(request.approvers, await runOf(place, request.runId));
  const standings = own.map(({ user }) => standingOf(accountOf(user), approvers));
  // The newest one by somebody who may, whose comment does not say that it is for other plans.
  const at = own.findLastIndex((each, index) => isForIt(each) && standings[index]?.refused === null);
  const [review, standing] = [own[at], standings[at]];
  if (review === undefined || standing === undefined) {
    const who = standings.flatMap(({ refused }, index) => {
      const each = own[index];
      return refused === null || each === undefined || !isForIt(each) ? [] : [refused];
    });
    return { excluded: `the environment ${environment} was approved by ${[...new Set(who)].join('; by ')}` };
  }
  const name = `${repository.owner}/${repository.repo}`;
  return {
    evidence: {
      repository: name,
      reference: {
        source: 'environment',
        runId: request.runId,
        environment,
        ordinal: at + 1,
        ...(request.attempt === null ? {} : { attempt: request.attempt }),
      },
      actor: review.user.login,
      permission: null,
      at: null,
      url: `${place.serverUrl}/${name}/actions/runs/${request.runId}`,
      comment: review.comment === '' ? null : review.comment.slice(0, MAX_COMMENT),
      ...(standing.excepted.length === 0 ? {} : { excepted: [...standing.excepted] }),
    },
  };
}

function accountOf({ login, type }: Review['user']) {
  return { login, type: type ?? null };
}

function withStarters({ involved, exceptions }: Approvers, run: ApprovedRun): Approvers {
  const starters = startersOf({
    event: run.event,
    actor: run.actor?.login ?? null,
    again: run.triggering_actor?.login ?? null,
    attempt: run.run_attempt ?? 1,
  });
  return { involved: together(involved, { starters }), exceptions };
}

function reviewsOf({ client, repository }: ApprovalPlace, runId: number): Promise<Review[]> {
  return client.request({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/approvals',
    params: { ...repository, run_id: runId },
    schema: reviewsSchema,
    purpose: REVIEWS,
  });
}

/** In the order of GitHub's history; the number of an approval in it is its ordinal. */
function approvalsOf(reviews: readonly Review[], environment: string): readonly Review[] {
  return reviews.filter(
    ({ state, environments }) =>
      state === 'approved' && environments.some(({ name }) => name === environment),
  );
}

/** Plans that a comment names when this one is not among them. */
function otherPlans(comment: string, planDigest: string): string[] {
  const named = digestsIn(comment);
  return named.some((digest) => planDigest.startsWith(digest)) ? [] : named;
}

function approvedOther(named: readonly string[], planDigest: string): string {
  const shown = [...new Set(named)].slice(0, MAX_NAMED).join(', ');
  return `the reviewer approved plan ${shown}, this is ${planDigest.slice(0, 12)}`;
}

/** What was measured under a review. */
interface MeasuredUnder {
  readonly binding: Pick<Binding, 'planDigest' | 'headCommit'>;
  /** Commit of the reviewed workflow run where the event tells it; null: GitHub is asked. */
  readonly knownHead: string | null;
  readonly approvers: Approvers;
}

/**
 * Why the review that approved a run is not what GitHub shows; null when it is. A review is for the commit of the workflow
 * run that waited for it: one of another commit says nothing about this one.
 * @throws GitHubFailure
 */
export async function environmentContradiction(
  place: ApprovalPlace,
  { runId, environment, ordinal }: Extract<ApprovalReference, { source: 'environment' }>,
  { binding, knownHead, approvers }: MeasuredUnder,
): Promise<string | null> {
  const { planDigest, headCommit } = binding;
  const own = approvalsOf(await reviewsOf(place, runId), environment);
  if (own.length === 0) return `no required reviewer approved the environment ${environment}`;
  const review = own[ordinal - 1];
  if (review === undefined)
    return `the environment ${environment} was approved fewer times than the bundle says`;
  const others = otherPlans(review.comment, planDigest);
  if (others.length > 0) return approvedOther(others, planDigest);
  const run = await runOf(place, runId);
  const { refused } = standingOf(accountOf(review.user), withStarters(approvers, run));
  if (refused !== null) return `the environment ${environment} was approved by ${refused}`;
  const head = knownHead ?? headOfRun(run);
  if (head === null || head === headCommit) return null;
  return `the approved workflow run ${runId} is of commit ${head.slice(0, 12)}, the measured one is ${headCommit?.slice(0, 12) ?? 'not known'}`;
}

function runOf({ client, repository }: ApprovalPlace, runId: number): Promise<ApprovedRun> {
  return client.request({
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
    params: { ...repository, run_id: runId },
    schema: runSchema,
    purpose: RUN,
  });
}

/** The commit that a workflow run was for; null for the one event whose runs GitHub books on another commit. Pure. */
function headOfRun({ event, head_sha: head }: ApprovedRun): string | null {
  return event === 'pull_request_target' ? null : head;
}

/** Digests of plans that a comment names: `plan 1a2b3c4d…`, or 64 digits by themselves; a commit's 40 are none. */
function digestsIn(comment: string): string[] {
  const named = [...comment.matchAll(/\bplan(?:\s+digest)?[:\s]+`?([0-9a-f]{8,64})\b/gi)];
  const bare = [...comment.matchAll(/(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])/gi)];
  return [...new Set([...named, ...bare].map(([, digest = '']) => digest.toLowerCase()))];
}
