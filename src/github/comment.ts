import * as z from 'zod';
import { rememberLast, sayUnchanged } from '../report/comment/comment.ts';
import { type CommentMarker, lastResult, mayReplace, parseMarker } from '../report/comment/marker.ts';
import type { GitHubClient, Repository } from './client.ts';
import { GitHubFailure, type Purpose } from './failure.ts';
import { isOwnComment, type OwnIdentity } from './own-identity.ts';

const PURPOSE: Purpose = {
  what: 'comment on the pull request',
  permissions: ['pull-requests: write', 'issues: write'],
};
/** Others that race with us need this long to be seen; spread, so that not all look at once. */
const SETTLE_MS = 2_000;
const SPREAD_MS = 3_000;
const MAX_ROUNDS = 5;

const userSchema = z.object({ id: z.number(), login: z.string(), type: z.string().optional() });
const commentSchema = z.object({
  id: z.number(),
  body: z.string().nullish(),
  html_url: z.string(),
  user: userSchema.nullable(),
});
type Comment = z.infer<typeof commentSchema>;
interface Marked {
  readonly comment: Comment;
  readonly marker: CommentMarker;
}

interface CommentRequest {
  readonly pullNumber: number;
  /** Markdown with the marker on its first line. */
  readonly body: string;
  readonly marker: CommentMarker;
  /** Whether a comment is begun when there is none yet. */
  readonly begin: boolean;
  /** Head commit of the pull request now; null when unknown. */
  readonly pullHead: string | null;
}
export interface CommentOutcome {
  readonly id: number;
  readonly url: string;
  readonly action: 'created' | 'updated' | 'kept-newer';
}

/** One comment per pull request and key, whoever else writes it at the same time. */
export class PullRequestComment {
  readonly #client: GitHubClient;
  readonly #repository: Repository;
  readonly #identity: OwnIdentity;

  constructor(client: GitHubClient, repository: Repository, identity: OwnIdentity) {
    this.#client = client;
    this.#repository = repository;
    this.#identity = identity;
  }

  /**
   * Writes our comment: in place when it exists on any page, otherwise a new one. Several of ours converge on the
   * lowest id; a newer result is never replaced by an older one. Null when none was there and none is begun.
   * @throws GitHubFailure
   */
  async put(request: CommentRequest): Promise<CommentOutcome | null> {
    for (let round = 1; ; round += 1) {
      try {
        return await this.#putOnce(request);
      } catch (error) {
        // Another job removed the comment as a duplicate between our look and our write.
        const vanished = error instanceof GitHubFailure && error.status === 404;
        if (!vanished || round === MAX_ROUNDS) throw error;
        await this.#settle();
      }
    }
  }

  async #putOnce(request: CommentRequest): Promise<CommentOutcome | null> {
    const found = await this.#find(request);
    const first = found[0];
    if (first === undefined) return request.begin ? this.#create(request) : null;
    const outcome = await this.#write(first, request);
    await this.#removeAll(found.slice(1));
    return outcome;
  }

  /** Ours with the request's key, lowest id first. */
  async #find({ pullNumber, marker }: CommentRequest): Promise<Marked[]> {
    const comments = await this.#client.list(
      {
        route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
        params: { ...this.#repository, issue_number: pullNumber },
        schema: z.array(commentSchema),
        purpose: PURPOSE,
      },
      (page) => page,
    );
    const marked = comments.flatMap((comment): Marked[] => {
      const found = parseMarker(comment.body ?? '');
      return found === null || found.key !== marker.key ? [] : [{ comment, marker: found }];
    });
    const own: Marked[] = [];
    for (const item of marked) if (await isOwnComment(this.#identity, item.comment.user)) own.push(item);
    return own.sort((left, right) => left.comment.id - right.comment.id);
  }

  async #create(request: CommentRequest): Promise<CommentOutcome> {
    const created = await this.#client.request({
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      params: { ...this.#repository, issue_number: request.pullNumber, body: request.body },
      schema: commentSchema,
      purpose: PURPOSE,
    });
    if (created.user !== null) this.#identity.learn(created.user.id);
    await this.#settle();
    const found = await this.#find(request);
    const first = found[0];
    if (first === undefined || first.comment.id >= created.id) {
      await this.#removeAll(found.filter(({ comment }) => comment.id > created.id));
      return { id: created.id, url: created.html_url, action: 'created' };
    }
    // Somebody was first: theirs stays, with whatever is newer in it.
    const outcome = await this.#write(first, request);
    await this.#removeAll([...found.slice(1), { comment: created, marker: request.marker }]);
    return outcome;
  }

  /** Updates and looks again: an older job may have written between our look and our write. */
  async #write(target: Marked, request: CommentRequest): Promise<CommentOutcome> {
    const kept = { id: target.comment.id, url: target.comment.html_url };
    if (!mayReplace(request.marker, target.marker, request.pullHead))
      return { ...kept, action: 'kept-newer' };
    const params = { ...this.#repository, comment_id: target.comment.id };
    const body = bodyAfter(target.marker, request.body);
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      await this.#client.request({
        route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
        params: { ...params, body },
        schema: commentSchema,
        purpose: PURPOSE,
      });
      await this.#settle();
      const now = await this.#client.request({
        route: 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
        params,
        schema: commentSchema,
        purpose: PURPOSE,
      });
      const marker = parseMarker(now.body ?? '');
      if (marker !== null && same(marker, request.marker)) break;
      if (marker !== null && !mayReplace(request.marker, marker, request.pullHead)) break;
    }
    return { ...kept, action: 'updated' };
  }

  async #removeAll(duplicates: readonly Marked[]): Promise<void> {
    for (const { comment } of duplicates) {
      try {
        await this.#client.request({
          route: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
          params: { ...this.#repository, comment_id: comment.id },
          schema: z.unknown(),
          purpose: PURPOSE,
        });
      } catch (error) {
        if (!(error instanceof GitHubFailure && error.status === 404)) throw error;
      }
    }
  }

  async #settle(): Promise<void> {
    const { clock, random } = this.#client.settings;
    await clock.sleep(SETTLE_MS + Math.round(random() * SPREAD_MS));
  }
}

/**
 * The body, with a line more when the last result said the same of another commit. A comment without a result of its own
 * ("running") hands on what the last one said.
 */
function bodyAfter(earlier: CommentMarker, body: string): string {
  const now = parseMarker(body);
  const last = lastResult(earlier);
  if (now === null || last === null) return body;
  if (now.said === undefined) return rememberLast(body, last);
  return now.said === last.said && now.head !== last.head ? sayUnchanged(body, last.head) : body;
}

function same(left: CommentMarker, right: CommentMarker): boolean {
  return (
    left.runId === right.runId &&
    left.attempt === right.attempt &&
    left.head === right.head &&
    left.state === right.state
  );
}
