import * as z from 'zod';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';
import { isOwnComment, OwnIdentity } from './own-identity.ts';

const PURPOSE: Purpose = { what: 'write the issue about a drift', permissions: ['issues: write'] };
/** Keeps the search for our issue to one page of answers. */
export const DRIFT_LABEL = 'rollout-bench-drift';

const issueSchema = z.object({
  number: z.int(),
  html_url: z.string(),
  body: z.string().nullish(),
  user: z.object({ id: z.number(), login: z.string(), type: z.string().optional() }).nullable(),
  pull_request: z.unknown().optional(),
});

interface DriftIssue {
  /** Tells the courses apart, e.g. `libero_spatial on main`. */
  readonly course: string;
  readonly title: string;
  /** Markdown without the marker. */
  readonly body: string;
}

interface IssueOutcome {
  readonly number: number;
  readonly url: string;
  readonly action: 'opened' | 'updated';
}

/**
 * Opens an issue about a drift, or updates the one that is open for this course. An issue that somebody closed is not
 * opened again: the next alarm opens a new one.
 * @throws GitHubFailure
 */
export async function putDriftIssue(
  client: GitHubClient,
  repository: Repository,
  issue: DriftIssue,
): Promise<IssueOutcome> {
  const marker = `<!-- rollout-bench drift ${encodeURIComponent(issue.course)} -->`;
  const identity = new OwnIdentity(client);
  const body = `${marker}\n${issue.body}`;
  const open = await client.request({
    route: 'GET /repos/{owner}/{repo}/issues',
    params: { ...repository, state: 'open', labels: DRIFT_LABEL, per_page: 100 },
    schema: z.array(issueSchema),
    purpose: PURPOSE,
  });
  for (const found of open) {
    const isMarked = found.pull_request === undefined && (found.body ?? '').startsWith(marker);
    if (!isMarked || !(await isOwnComment(identity, found.user))) continue;
    const updated = await client.request({
      route: 'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
      params: { ...repository, issue_number: found.number, title: issue.title, body },
      schema: issueSchema,
      purpose: PURPOSE,
    });
    return { number: updated.number, url: updated.html_url, action: 'updated' };
  }
  const created = await client.request({
    route: 'POST /repos/{owner}/{repo}/issues',
    params: { ...repository, title: issue.title, body, labels: [DRIFT_LABEL] },
    schema: issueSchema,
    purpose: PURPOSE,
  });
  return { number: created.number, url: created.html_url, action: 'opened' };
}
