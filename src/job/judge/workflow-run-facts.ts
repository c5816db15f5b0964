import * as z from 'zod';
import { GitHubFailure, problemsOf } from '../../github/failure.ts';
import { findPullRequest } from '../../github/pull-request.ts';
import type { Log } from '../../platform/ports.ts';
import { eventBase, queueBranch } from '../../platform/workflow-events.ts';
import type { Connection } from '../connection.ts';
import type { EventFacts, FactsRequest } from './ref-standing.ts';
import { type MaybeTag, NOWHERE, type Standing, standingOfRef } from './ref-standing.ts';

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
type MeasuringRun = z.infer<typeof workflowRun>;

/** The facts of a `workflow_run`: those of the run that it reports on. Pure. */
export function ofWorkflowRun({ context, payload, prNumber, claimed }: FactsRequest): EventFacts {
  const parsed = workflowRun.safeParse(payload);
  if (!parsed.success) {
    return {
      measuringRunId: null,
      headCommit: null,
      event: context.eventName,
      unauthenticated: true,
      ...NOWHERE,
      pull: null,
    };
  }
  const { workflow_run: run, repository } = parsed.data;
  const headRepositoryId = run.head_repository?.id ?? -1;
  const isPull = eventBase(run.event) === 'pull-request';
  return {
    measuringRunId: run.id,
    headCommit: run.head_sha,
    event: run.event,
    unauthenticated: headRepositoryId !== repository.id,
    ...standingOfRun(parsed.data),
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

function standingOfRun({ workflow_run: run, repository }: MeasuringRun): Standing & { maybeTag?: MaybeTag } {
  const standard = repository.default_branch ?? null;
  const name = run.head_branch ?? null;
  const onDefault = { ...NOWHERE, baseBranch: standard };
  switch (eventBase(run.event)) {
    case 'pull-request':
    case 'published':
    case 'default-branch':
      return onDefault;
    case 'merge-queue':
      return name === null ? NOWHERE : { ...NOWHERE, baseBranch: queueBranch(name)?.target ?? null };
    case 'own-branch': {
      if (name === null) return onDefault;
      const standing = standingOfRef(`refs/heads/${name}`, standard);
      const certain = !standing.onBranch || name === standard || run.event === 'schedule';
      return certain ? standing : { ...standing, maybeTag: { name, otherwise: standard } };
    }
    default:
      return NOWHERE;
  }
}

/**
 * The same with what only GitHub can say: the pull request and its base branch, which a workflow_run does not name, or
 * whether the measuring run's ref is a branch, since a tag comes under the same field. One request; whatever keeps it
 * from answering leaves the default branch, said aloud.
 */
export async function withGitHub(
  facts: EventFacts,
  github: Connection | null,
  log: Log,
): Promise<EventFacts> {
  if (github === null) return facts;
  if (facts.maybeTag !== undefined && !facts.unauthenticated)
    return withBranch(facts, facts.maybeTag, { github, log });
  if (facts.pull?.kind !== 'workflow-run') return facts;
  try {
    const pull = await findPullRequest(github.client, github.repository, facts.pull);
    if (pull === null) return facts;
    const branch = `pull/${pull.number}`;
    return { ...facts, branch, baseBranch: pull.baseRef, pull: { kind: 'event', pull } };
  } catch (error) {
    log.warning(
      `Which branch the pull request goes to is not known, so it is compared with ${facts.baseBranch ?? 'none'}: ${whyOf(error)}`,
    );
    return facts;
  }
}

/** @throws the error itself when it is a bug. */
function whyOf(error: unknown): string {
  const problems = problemsOf(error);
  if (problems === null) throw error;
  return problems.map(({ message }) => message).join(' ');
}

const PURPOSE = { what: 'look up the measured branch', permissions: ['contents: read'] } as const;
const refSchema = z.object({ ref: z.string() });

async function withBranch(
  facts: EventFacts,
  { name, otherwise }: MaybeTag,
  { github, log }: { readonly github: Connection; readonly log: Log },
): Promise<EventFacts> {
  const { maybeTag: _asked, ...known } = facts;
  try {
    await github.client.request({
      route: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
      params: { ...github.repository, ref: `heads/${name}` },
      schema: refSchema,
      purpose: PURPOSE,
    });
    return known;
  } catch (error) {
    const missing = error instanceof GitHubFailure && error.status === 404;
    const why = missing ? `there is no branch ${name}; it may be a tag, or gone` : whyOf(error);
    log.warning(
      `Measured was ${name}, which cannot be taken for a branch, so it is compared with ${otherwise ?? 'none'}: ${why}`,
    );
    return { ...known, ...NOWHERE, baseBranch: otherwise };
  }
}
