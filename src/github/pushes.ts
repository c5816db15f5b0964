import * as z from 'zod';
import type { Account } from '../approval/approvers.ts';
import type { GitHubClient } from './client.ts';
import type { Purpose } from './failure.ts';

const PUSHES: Purpose = { what: 'read when the branch was pushed to', permissions: ['contents: read'] };

const pushSchema = z.object({
  before: z.string().optional(),
  after: z.string(),
  timestamp: z.string(),
  activity_type: z.string().optional(),
  actor: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
});
/** A move of a branch in GitHub's own record, which nobody can date or sign otherwise. */
export interface Push {
  /** The commit that the branch stood at before; null where GitHub does not say. */
  readonly before: string | null;
  readonly after: string;
  /** UTC, ISO 8601. */
  readonly timestamp: string;
  /** Whether the branch was made or set anew, rather than moved on. */
  readonly anew: boolean;
  /** Who pushed or merged; null where GitHub does not say. */
  readonly actor: Account | null;
}

const ANEW: readonly string[] = ['force_push', 'branch_creation', 'branch_deletion'];
/** GitHub's page at most. */
const PAGE = 100;

interface PushesRequest {
  /** `owner/name` */
  readonly repository: string;
  readonly branch: string;
  /** The newest ones, at most so many. */
  readonly count: number;
}

/**
 * When a branch was moved, by whom and where to, newest first.
 * @throws GitHubFailure
 */
export async function pushesTo(client: GitHubClient, request: PushesRequest): Promise<readonly Push[]> {
  const { repository, branch, count } = request;
  const [owner = '', repo = ''] = repository.split('/');
  const found: Push[] = [];
  let cursor: string | null = null;
  do {
    const params: Record<string, unknown> = {
      ...{ owner, repo, ref: `refs/heads/${branch}`, direction: 'desc' },
      ...(cursor === null ? {} : { after: cursor }),
      per_page: Math.min(PAGE, count - found.length),
    };
    const answer: {
      data: z.infer<typeof pushSchema>[];
      headers: Readonly<Record<string, string | undefined>>;
    } = await client.exchange({
      route: 'GET /repos/{owner}/{repo}/activity',
      params,
      schema: z.array(pushSchema),
      purpose: PUSHES,
    });
    found.push(...answer.data.map(pushOf));
    cursor = answer.data.length === 0 ? null : nextCursor(answer.headers['link'] ?? '');
  } while (cursor !== null && found.length < count);
  return found;
}

function pushOf({ before, after, timestamp, activity_type: type, actor }: z.infer<typeof pushSchema>): Push {
  return {
    before: before ?? null,
    after,
    timestamp,
    anew: type !== undefined && ANEW.includes(type),
    actor: actor == null ? null : { login: actor.login, type: actor.type ?? null },
  };
}

/** This list is paged by a cursor inside the link to the next page. Null: this was the last one. */
function nextCursor(link: string): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
  if (next === undefined) return null;
  return URL.parse(next)?.searchParams.get('after') ?? null;
}
