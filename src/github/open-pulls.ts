import * as z from 'zod';
import type { GitHubClient, Repository } from './client.ts';
import { GitHubFailure } from './failure.ts';

const pullsSchema = z.array(z.object({ number: z.int().positive() }));

/** Numbers of all open pull requests; null where the token may not see them. @throws GitHubFailure for anything else */
export async function openPulls(
  client: GitHubClient,
  repository: Repository,
): Promise<ReadonlySet<number> | null> {
  try {
    const pulls = await client.list(
      {
        route: 'GET /repos/{owner}/{repo}/pulls',
        params: { ...repository, state: 'open' },
        schema: pullsSchema,
        purpose: { what: 'see which pull requests are open', permissions: ['pull-requests: read'] },
      },
      (page) => page,
    );
    return new Set(pulls.map(({ number }) => number));
  } catch (error) {
    if (error instanceof GitHubFailure && error.kind === 'permission') return null;
    throw error;
  }
}
