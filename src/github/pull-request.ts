import * as z from 'zod';
import { EXIT, errorOf, failure, type RbError } from '../errors/rb-error.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'find the pull request', permissions: ['pull-requests: read'] };

const repoSchema = z.object({ id: z.number() }).nullable();
const pullSchema = z.object({
  number: z.number(),
  state: z.string(),
  head: z.object({ sha: z.string(), ref: z.string(), repo: repoSchema }),
  base: z.object({ sha: z.string(), ref: z.string(), repo: repoSchema }),
});
type Pull = z.infer<typeof pullSchema>;

/** What is known about the pull request before asking; which it is depends on the event. */
export type PullSource =
  /** pull_request: the payload says it all, nothing is asked. */
  | { readonly kind: 'event'; readonly pull: PullRequest }
  /** push, schedule: the pull request that has this head commit, if there is one. */
  | { readonly kind: 'commit'; readonly sha: string }
  /** workflow_run: a number out of a bundle that strangers may have made, and facts GitHub itself gave. */
  | {
      readonly kind: 'workflow-run';
      readonly claimedNumber: number | null;
      readonly headSha: string;
      readonly headRepositoryId: number;
      readonly repositoryId: number;
    }
  /** workflow_dispatch or `pr-number`: a number by somebody who may start workflows. */
  | { readonly kind: 'number'; readonly number: number; readonly sha: string };

export interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly headRepositoryId: number | null;
  readonly baseRepositoryId: number | null;
  readonly baseRef: string;
  readonly baseSha: string;
  /** Head and base are different repositories, or the head is unknown. */
  readonly fork: boolean;
}

/**
 * The open pull request to write to.
 * @returns null when the commit belongs to none, which a push to the main branch never does
 * @throws RbError RB815 (several, or no number), RB816 (does not match what was measured); GitHubFailure
 */
export async function findPullRequest(
  client: GitHubClient,
  repository: Repository,
  source: PullSource,
): Promise<PullRequest | null> {
  switch (source.kind) {
    case 'event':
      return source.pull;
    case 'commit':
      return ofCommit(client, repository, source.sha);
    case 'number': {
      const pull = await byNumber(client, repository, source.number);
      if (pull.head.sha !== source.sha)
        throw mismatch(pull, `its head commit is ${pull.head.sha}, measured was ${source.sha}`);
      return openOnly(pull);
    }
    case 'workflow-run': {
      if (source.claimedNumber === null) throw noNumber();
      const pull = await byNumber(client, repository, source.claimedNumber);
      const difference = differenceOf(pull, source);
      if (difference !== null) throw mismatch(pull, difference);
      return openOnly(pull);
    }
  }
}

async function ofCommit(
  client: GitHubClient,
  repository: Repository,
  sha: string,
): Promise<PullRequest | null> {
  const pulls = await client.request({
    route: 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls',
    params: { ...repository, commit_sha: sha, per_page: 100 },
    schema: z.array(pullSchema),
    purpose: PURPOSE,
  });
  // GitHub also lists merged and closed ones, and those that merely contain the commit.
  const fitting = pulls.filter((pull) => pull.state === 'open' && pull.head.sha === sha);
  const [only] = fitting;
  if (fitting.length > 1) {
    throw problem(
      'RB815',
      `commit ${sha}`,
      `It is the head of ${fitting.map(({ number }) => `#${number}`).join(', ')}.`,
      'Choose one with `pr-number`.',
    );
  }
  return only === undefined ? null : factsOf(only);
}

function byNumber(client: GitHubClient, repository: Repository, number: number): Promise<Pull> {
  return client.request({
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    params: { ...repository, pull_number: number },
    schema: pullSchema,
    purpose: PURPOSE,
  });
}

function differenceOf(pull: Pull, source: Extract<PullSource, { kind: 'workflow-run' }>): string | null {
  if (pull.head.sha !== source.headSha)
    return `its head commit is ${pull.head.sha}, measured was ${source.headSha}`;
  if (pull.head.repo?.id !== source.headRepositoryId) return 'its head repository is another one';
  if (pull.base.repo?.id !== source.repositoryId) return 'it belongs to another repository';
  return null;
}

function openOnly(pull: Pull): PullRequest {
  if (pull.state !== 'open') throw mismatch(pull, 'it is closed');
  return factsOf(pull);
}

function factsOf({ number, head, base }: Pull): PullRequest {
  return {
    number,
    headSha: head.sha,
    headRepositoryId: head.repo?.id ?? null,
    baseRepositoryId: base.repo?.id ?? null,
    baseRef: base.ref,
    baseSha: base.sha,
    fork: head.repo === null || head.repo.id !== base.repo?.id,
  };
}

/**
 * The facts of a pull_request event's payload.
 * @throws RbError RB523 (exit 3) with every field that is missing when it is no such payload.
 */
export function pullOfPayload(payload: unknown): PullRequest {
  const parsed = z.object({ pull_request: pullSchema }).safeParse(payload);
  if (parsed.success) return factsOf(parsed.data.pull_request);
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'pull_request');
  throw errorOf('RB523', {
    where: 'the event file (GITHUB_EVENT_PATH)',
    message: `The event is about a pull request, but its payload does not say which one: ${[...new Set(fields)].join(', ')} is missing or of the wrong kind.`,
  });
}

function noNumber(): RbError {
  return problem(
    'RB815',
    'workflow_run',
    'The bundle names no pull request.',
    'Measure on the `pull_request` event, or give `pr-number`.',
  );
}

function mismatch({ number }: Pull, difference: string): RbError {
  return problem(
    'RB816',
    `pull request #${number}`,
    `Nothing was written to it: ${difference}.`,
    'If it was pushed to meanwhile, the next run reports; otherwise check where the bundle comes from.',
  );
}

function problem(code: 'RB815' | 'RB816', where: string, message: string, fix: string): RbError {
  return failure(EXIT.noVerdict, { code, where, message, fix });
}
