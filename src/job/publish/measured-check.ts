import * as z from 'zod';
import { CheckRun } from '../../github/check-run.ts';
import { runContext } from '../../platform/run-context.ts';
import { bestEffort } from '../best-effort.ts';
import { connectTo } from '../connection.ts';
import { eventAlone } from '../judge/event-facts.ts';
import type { AfterJobContext, VerbContext } from '../verb.ts';

/** State for the post step: the check that main opened, empty once it is closed. */
const CHECK_STATE = 'checkId';

/**
 * Opens the check run before the work and closes it on every path: the work closes it with the verdict; whatever it
 * leaves open is closed here, and by the post step when this process is killed. A check that cannot be written is a
 * warning.
 */
export async function withCheck<T>(
  verb: VerbContext,
  payload: unknown,
  work: (check: CheckRun | null) => Promise<T>,
): Promise<T> {
  const check = checkOf(verb, payload);
  if (check === null) return work(null);
  await bestEffort(verb.log, async () => {
    const { id } = await check.open();
    verb.action?.saveState(CHECK_STATE, String(id));
  });
  let why = 'Nothing was decided.';
  try {
    return await work(check);
  } catch (error) {
    why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? why).slice(0, 200) : why;
    throw error;
  } finally {
    const cancelled = verb.signal.aborted;
    await bestEffort(verb.log, () =>
      check.abandon(cancelled ? 'cancelled' : 'failure', cancelled ? 'The job was cancelled.' : why),
    );
    verb.action?.saveState(CHECK_STATE, '');
  }
}

/** Null when no check is wanted, or no commit or token is known. */
function checkOf(verb: VerbContext, payload: unknown): CheckRun | null {
  const { inputs, env } = verb;
  if (verb.action === null || inputs.check === null || inputs.mode === 'run') return null;
  const context = runContext(env, payload);
  // Not the job's signal: a cancelled job is just what has to be written.
  const { signal } = new AbortController();
  const github = connectTo({ ...verb, signal }, inputs.githubToken, context.repository);
  const { headCommit } = eventAlone(context, payload);
  if (github === null || headCommit === null) return null;
  return new CheckRun(github.client, github.repository, {
    name: inputs.check,
    headSha: headCommit,
    detailsUrl: context.runUrl,
  });
}

/** The post step's part: closes a check that a killed main left open. */
export async function closeLeftCheck(job: AfterJobContext): Promise<void> {
  const id = Number(job.state[CHECK_STATE] ?? '');
  if (!Number.isInteger(id) || id <= 0) return;
  const github = connectTo(job, job.env['INPUT_GITHUB-TOKEN'] ?? null, job.env.GITHUB_REPOSITORY ?? null);
  if (github === null) return;
  const title = 'The job ended before anything was decided.';
  await bestEffort(job.log, () =>
    github.client.request({
      route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      params: {
        ...github.repository,
        check_run_id: id,
        status: 'completed',
        conclusion: 'cancelled',
        output: { title, summary: title },
      },
      schema: z.object({ id: z.number() }),
      purpose: { what: 'close the check run', permissions: ['checks: write'] },
    }),
  );
}
