import * as z from 'zod';
import { PullRequestComment } from '../../github/comment.ts';
import { OwnIdentity } from '../../github/own-identity.ts';
import { pullOfPayload } from '../../github/pull-request.ts';
import { runContext } from '../../platform/run-context.ts';
import { commentMarkdown } from '../../report/comment/comment.ts';
import { type CommentMarker, type CommentState, markerKey } from '../../report/comment/marker.ts';
import { bestEffort } from '../best-effort.ts';
import { type Connection, connectTo } from '../connection.ts';
import type { AfterJobContext, Environment, VerbContext } from '../verb.ts';

/** State for the post step: what main announced, empty once it is replaced. */
const PROGRESS_STATE = 'progress';

const announcedSchema = z.object({
  pullNumber: z.int().positive(),
  marker: z.object({ key: z.string(), runId: z.int(), attempt: z.int(), head: z.string() }),
});
type Announced = z.infer<typeof announcedSchema>;

/** Tells the comments of several benchmarks apart: by the suites asked for, else by those measured. Pure. */
export function commentKey(asked: readonly string[] | null, measured: readonly string[]): string {
  return markerKey((asked ?? measured).join('.') || 'default');
}

/**
 * With `progress`, the comment says "running" while the work goes on and "interrupted" when it ends without a result;
 * the result itself replaces either. A comment that cannot be written is a warning.
 */
export async function withProgress<T>(
  verb: VerbContext,
  payload: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const announced = announcementOf(verb, payload);
  if (announced === null) return work();
  await say(verb, announced, 'running');
  verb.action?.saveState(PROGRESS_STATE, JSON.stringify(announced));
  let isDone = false;
  try {
    const result = await work();
    isDone = !verb.signal.aborted;
    return result;
  } finally {
    if (!isDone) await say(verb, announced, 'interrupted');
    verb.action?.saveState(PROGRESS_STATE, '');
  }
}

/** The post step's part: what a killed main step announced did not come. */
export async function endLeftProgress(job: AfterJobContext): Promise<void> {
  const state = job.state[PROGRESS_STATE] ?? '';
  if (state === '') return;
  const parsed = announcedSchema.safeParse(JSON.parse(state));
  const token = job.env['INPUT_GITHUB-TOKEN'];
  if (parsed.success) await say({ ...job, token }, parsed.data, 'interrupted');
}

/** Null when no progress is wanted, or nothing is known to comment on. */
function announcementOf(verb: VerbContext, payload: unknown): Announced | null {
  const { inputs, env } = verb;
  if (verb.action === null || !inputs.progress || inputs.comment === 'off' || inputs.mode !== 'all')
    return null;
  const context = runContext(env, payload);
  if (context.pullRequest === null || context.headCommit === null) return null;
  if (inputs.suites === null) {
    verb.log.warning('No progress comment: name the suite, so that the result can replace it.');
    return null;
  }
  return {
    pullNumber: pullOfPayload(payload).number,
    marker: {
      key: commentKey(inputs.suites, []),
      runId: Number(context.githubRunId ?? 0),
      attempt: context.runAttempt ?? 1,
      head: context.headCommit,
    },
  };
}

type Speaker = Pick<VerbContext, 'env' | 'clock' | 'log'> & {
  /** Where the inputs are not read: after the job. */
  readonly token?: string | undefined;
  readonly inputs?: VerbContext['inputs'];
};

async function say(speaker: Speaker, { pullNumber, marker }: Announced, state: CommentState): Promise<void> {
  const github = connection(speaker);
  if (github === null) return;
  const full: CommentMarker = { ...marker, state };
  await bestEffort(speaker.log, () =>
    new PullRequestComment(github.client, github.repository, new OwnIdentity(github.client)).put({
      pullNumber,
      body: announcement(full, speaker.env),
      marker: full,
      begin: speaker.inputs?.comment !== 'on-change',
      pullHead: marker.head,
    }),
  );
}

function connection({ env, clock, log, token, inputs }: Speaker): Connection | null {
  // Not the job's signal: an interruption is just what has to be written.
  const { signal } = new AbortController();
  return connectTo(
    { env, clock, log, signal },
    token ?? inputs?.githubToken ?? null,
    env.GITHUB_REPOSITORY ?? null,
  );
}

function announcement(marker: CommentMarker, env: Environment): string {
  return commentMarkdown({
    marker,
    verdict: 'no result',
    suites: [],
    average: null,
    runUrl: runContext(env, undefined).runUrl,
    artifactUrl: null,
    reportUrl: null,
    unauthenticated: false,
    warnings: [],
    rerun: () => '',
  });
}
