import * as z from 'zod';
import type { ApprovalPlace } from './approval-sources.ts';
import type { Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'read the jobs of the workflow run', permissions: ['actions: read'] };

const jobsSchema = z.object({
  jobs: z.array(
    z.object({
      name: z.string(),
      run_attempt: z.number().optional(),
      status: z.string(),
      runner_name: z.string().nullish(),
    }),
  ),
});

interface StartedJob {
  readonly runId: number;
  /** Attempt of the workflow run that asks, from 1. */
  readonly attempt: number;
  /** Name of the runner that asks, which does one job at a time; null is unknown. */
  readonly runner: string | null;
}

/**
 * How often a runner had begun this very job in earlier attempts of its workflow run; 0 when this is the first attempt,
 * or when nobody can tell which job asks.
 * @throws GitHubFailure
 */
export async function earlierStarts(
  { client, repository }: Pick<ApprovalPlace, 'client' | 'repository'>,
  { runId, attempt, runner }: StartedJob,
): Promise<number> {
  if (attempt === 1 || runner === null) return 0;
  const jobs = await client.list(
    {
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
      params: { ...repository, run_id: runId, filter: 'all' },
      schema: jobsSchema,
      purpose: PURPOSE,
    },
    (page) => page.jobs,
  );
  const own = jobs.find(
    (job) => job.run_attempt === attempt && job.runner_name === runner && job.status === 'in_progress',
  );
  if (own === undefined) return 0;
  // A job that no runner took waited for its review, or was rejected.
  const began = jobs.filter(({ name, runner_name: by }) => name === own.name && by != null && by !== '');
  const attempts = began.flatMap(({ run_attempt: each }) =>
    each === undefined || each >= attempt ? [] : [each],
  );
  return new Set(attempts).size;
}
