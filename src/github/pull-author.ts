import * as z from 'zod';
import type { ApprovalPlace } from './approval-sources.ts';
import type { Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'read who opened the pull request', permissions: ['pull-requests: read'] };

const pullSchema = z.object({ user: z.object({ login: z.string() }).nullish() });

/**
 * Whoever opened a pull request, as a list of at most one login, for runs whose event does not tell.
 * @throws GitHubFailure
 */
export async function pullAuthors(
  { client, repository }: Pick<ApprovalPlace, 'client' | 'repository'>,
  pullRequest: number,
): Promise<readonly string[]> {
  const { user } = await client.request({
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    params: { ...repository, pull_number: pullRequest },
    schema: pullSchema,
    purpose: PURPOSE,
  });
  return user == null ? [] : [user.login];
}
