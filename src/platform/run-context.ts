import * as z from 'zod';
import { eventBase } from './workflow-events.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a run came from, as far as the environment tells; everything that is unknown is null. */
export interface RunContext {
  /** A workflow job, or a person at a terminal. */
  readonly kind: 'github' | 'cli';
  readonly githubRunId: string | null;
  readonly job: string | null;
  /** Number of the workflow's attempt, from 1. */
  readonly runAttempt: number | null;
  readonly repository: string | null;
  readonly eventName: string | null;
  /** The branch or tag, as `refs/…`. */
  readonly ref: string | null;
  /** The commit under test: the head of a pull request, not the merge commit that was checked out. */
  readonly headCommit: string | null;
  readonly baseCommit: string | null;
  readonly pullRequest: number | null;
  readonly runUrl: string | null;
  /** `false` only when the event says that the repository is private. */
  readonly publicRepository: boolean;
}

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const commit = z.object({ sha });

/** The few fields of a webhook payload that are used; everything else is ignored. */
const payloadSchema = z.object({
  pull_request: z
    .object({ number: z.int().positive(), head: commit, base: commit })
    .optional()
    .catch(undefined),
  merge_group: z.object({ head_sha: sha, base_sha: sha }).optional().catch(undefined),
  repository: z.object({ private: z.boolean() }).optional().catch(undefined),
});

/**
 * Reads the runner's variables. Pure.
 * @param payload the event's JSON, undefined where there is none.
 */
export function runContext(env: Env, payload: unknown): RunContext {
  if (env.GITHUB_ACTIONS !== 'true') return CLI_CONTEXT;
  const parsed = payloadSchema.safeParse(payload ?? {});
  const event = parsed.success ? parsed.data : {};
  const pull = event.pull_request;
  const queued = text(env.GITHUB_EVENT_NAME) === 'merge_group' ? event.merge_group : undefined;
  const repository = text(env.GITHUB_REPOSITORY);
  const runId = text(env.GITHUB_RUN_ID);
  const attempt = Number(env.GITHUB_RUN_ATTEMPT);
  return {
    kind: 'github',
    githubRunId: runId,
    job: text(env.GITHUB_JOB),
    runAttempt: Number.isInteger(attempt) && attempt > 0 ? attempt : null,
    repository,
    eventName: text(env.GITHUB_EVENT_NAME),
    ref: text(env.GITHUB_REF),
    headCommit: pull?.head.sha ?? queued?.head_sha ?? text(env.GITHUB_SHA),
    baseCommit: pull?.base.sha ?? queued?.base_sha ?? null,
    pullRequest: pull?.number ?? null,
    runUrl:
      repository === null || runId === null
        ? null
        : `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/actions/runs/${runId}`,
    publicRepository: event.repository?.private !== true,
  };
}

const CLI_CONTEXT: RunContext = {
  kind: 'cli',
  githubRunId: null,
  job: null,
  runAttempt: null,
  repository: null,
  eventName: null,
  ref: null,
  headCommit: null,
  baseCommit: null,
  pullRequest: null,
  runUrl: null,
  publicRepository: false,
};

function text(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

/** Why a run is made, when the user leaves it to the event. */
export function purposeOf(context: RunContext): 'pr' | 'release' | 'schedule' | 'adhoc' {
  if (eventBase(context.eventName) === 'pull-request') return 'pr';
  if (context.eventName === 'schedule') return 'schedule';
  if (context.eventName === 'release' || context.ref?.startsWith('refs/tags/') === true) return 'release';
  return 'adhoc';
}

/** What a run says about where it came from. Pure. */
export function sourceOf(context: RunContext): Readonly<Record<string, string | number | null>> {
  const { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt } =
    context;
  return { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt };
}
