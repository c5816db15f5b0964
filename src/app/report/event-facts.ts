import * as z from 'zod';
import { problemsOf } from '../../github/failure.ts';
import { findPullRequest, type PullSource, pullOfPayload } from '../../github/pull-request.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Log } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { Connection } from './connection.ts';

const repo = z.object({ id: z.int(), default_branch: z.string().optional() });
const workflowRun = z.object({
  repository: repo,
  workflow_run: z.object({
    id: z.int(),
    run_attempt: z.int().optional(),
    head_sha: z.string(),
    head_branch: z.string().nullish(),
    event: z.string(),
    head_repository: repo.nullish(),
  }),
});
const anyEvent = z.object({ repository: repo.optional() });

/** What the event says about the code that was measured; taken from GitHub, never from a bundle. */
export interface EventFacts {
  /** The run whose artifacts are reported; null is this one. */
  readonly measuringRunId: number | null;
  readonly headCommit: string | null;
  /** Event of the measuring run. */
  readonly event: string | null;
  /** Code of strangers was measured: nothing of it enters history or baselines. */
  readonly unauthenticated: boolean;
  /** Branch of the history; null when it has none. */
  readonly branch: string | null;
  /** Measured on a branch itself, not on a tag or a pull request: only that may become its baseline. */
  readonly onBranch: boolean;
  /** Branch whose accepted baseline is compared with. */
  readonly baseBranch: string | null;
  readonly pull: PullSource | null;
}

export interface FactsRequest {
  readonly context: RunContext;
  readonly payload: unknown;
  readonly baseRef: string | null;
  /** Input `pr-number`. */
  readonly prNumber: number | null;
  /** Pull request and commit that the bundles claim; believed only as far as GitHub confirms them. */
  readonly claimed: { readonly pullRequest: number | null; readonly headCommit: string | null };
}

/** Pure. A payload that is not what its event promises counts as one that says nothing. */
export function eventFacts(request: FactsRequest): EventFacts {
  if (request.context.eventName === 'workflow_run') return ofWorkflowRun(request);
  const { context, claimed } = request;
  const headCommit = context.headCommit ?? claimed.headCommit;
  const repositoryFacts = anyEvent.safeParse(request.payload).data?.repository;
  const branch = branchOf(context.ref);
  const onBranch = context.ref?.startsWith('refs/heads/') === true;
  const isPull = context.pullRequest !== null;
  return {
    measuringRunId: null,
    headCommit,
    event: context.eventName,
    unauthenticated: isFork(request.payload),
    branch,
    onBranch,
    // A tag has no baseline of its own: a release is compared with what the default branch has accepted.
    baseBranch: isPull ? request.baseRef : onBranch ? branch : (repositoryFacts?.default_branch ?? null),
    pull: pullSource(request, headCommit),
  };
}

/** What the event says by itself, before any bundle is read. Pure. */
export function eventAlone(
  context: RunContext,
  payload: unknown,
): Pick<EventFacts, 'measuringRunId' | 'headCommit'> {
  const claimed = { pullRequest: null, headCommit: null };
  return eventFacts({ context, payload, prNumber: null, baseRef: null, claimed });
}

/**
 * Called before anything is measured, since hours of rollouts are no time to learn that their report has no place.
 * @throws RbError RB523 when the event is about a pull request and its payload is none.
 */
export function requirePull(
  context: RunContext,
  payload: unknown,
  { mode, prNumber }: Pick<Inputs, 'mode' | 'prNumber'>,
): void {
  if (mode !== 'run' && prNumber === null && context.pullRequest !== null) pullOfPayload(payload);
}

function pullSource(
  { context, payload, prNumber }: FactsRequest,
  headCommit: string | null,
): PullSource | null {
  if (prNumber !== null && headCommit !== null) return { kind: 'number', number: prNumber, sha: headCommit };
  if (context.pullRequest !== null) return { kind: 'event', pull: pullOfPayload(payload) };
  if (headCommit === null || context.eventName === 'schedule') return null;
  return { kind: 'commit', sha: headCommit };
}

function ofWorkflowRun({ context, payload, prNumber, claimed }: FactsRequest): EventFacts {
  const parsed = workflowRun.safeParse(payload);
  if (!parsed.success) {
    return {
      measuringRunId: null,
      headCommit: null,
      event: context.eventName,
      unauthenticated: true,
      branch: null,
      onBranch: false,
      baseBranch: null,
      pull: null,
    };
  }
  const { workflow_run: run, repository } = parsed.data;
  const headRepositoryId = run.head_repository?.id ?? -1;
  const isPull = run.event.startsWith('pull_request');
  const branch = isPull ? null : (run.head_branch ?? null);
  return {
    measuringRunId: run.id,
    headCommit: run.head_sha,
    event: run.event,
    unauthenticated: headRepositoryId !== repository.id,
    branch,
    onBranch: branch !== null,
    baseBranch: isPull ? (repository.default_branch ?? null) : branch,
    pull: isPull
      ? {
          kind: 'workflow-run',
          claimedNumber: prNumber ?? claimed.pullRequest,
          headSha: run.head_sha,
          headRepositoryId,
          repositoryId: repository.id,
        }
      : { kind: 'commit', sha: run.head_sha },
  };
}

/**
 * The same with the base branch of the pull request itself. A workflow_run does not name it, so GitHub is asked once;
 * whatever keeps it from answering leaves the default branch, said aloud.
 */
export async function withPull(facts: EventFacts, github: Connection | null, log: Log): Promise<EventFacts> {
  if (github === null || facts.pull?.kind !== 'workflow-run') return facts;
  try {
    const pull = await findPullRequest(github.client, github.repository, facts.pull);
    return pull === null ? facts : { ...facts, baseBranch: pull.baseRef, pull: { kind: 'event', pull } };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    const why = problems.map(({ message }) => message).join(' ');
    log.warning(
      `Which branch the pull request goes to is not known, so it is compared with ${facts.baseBranch ?? 'none'}: ${why}`,
    );
    return facts;
  }
}

const pullRepos = z.object({
  pull_request: z.object({ head: z.object({ repo: repo.nullish() }), base: z.object({ repo }) }),
});

function isFork(payload: unknown): boolean {
  const parsed = pullRepos.safeParse(payload);
  if (!parsed.success) return false;
  const { head, base } = parsed.data.pull_request;
  return head.repo?.id !== base.repo.id;
}

/** `refs/heads/x` → `x`; a pull request's merge ref or a tag keeps its kind, so that no branch can have its name. */
function branchOf(ref: string | null): string | null {
  if (ref === null) return null;
  if (ref.startsWith('refs/heads/')) return ref.slice('refs/heads/'.length);
  const pull = /^refs\/pull\/(\d+)\//.exec(ref);
  if (pull !== null) return `pull/${pull[1]}`;
  return ref.startsWith('refs/') ? ref.slice('refs/'.length) : ref;
}
