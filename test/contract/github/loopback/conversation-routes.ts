import * as z from 'zod';
import { type Exchange, notFound, paged, type Reply, type Route, unprocessable } from './exchange.ts';

const COMMENT_MAX_CHARS = 65_536;

export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly login: string;
  readonly userId: number;
  body: string;
  edits: number;
}
export interface StoredPull {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly headSha: string;
  readonly headRef: string;
  readonly headRepoId: number;
  readonly headRepo: string;
  readonly baseSha: string;
  readonly baseRef: string;
  readonly baseRepoId: number;
  readonly baseRepo: string;
  readonly labels?: readonly string[];
  /** Whoever opened it; left out: somebody called `author`. */
  readonly author?: string;
}
const commentBody = z.looseObject({ body: z.string() });
/** Comments and pull requests. */
export class ConversationRoutes {
  readonly comments: StoredComment[] = [];
  readonly pulls: StoredPull[] = [];
  /** Lists of comments that do not show the newest one yet. */
  staleCommentLists = 0;
  #nextId = 1000;

  readonly routes: Record<string, Route> = {
    'issues/list-comments': (exchange) => this.#listComments(exchange),
    'issues/get-comment': (exchange) => this.#getComment(exchange),
    'issues/create-comment': (exchange) => this.#createComment(exchange),
    'issues/update-comment': (exchange) => this.#updateComment(exchange),
    'issues/delete-comment': (exchange) => this.#deleteComment(exchange),
    'repos/list-pull-requests-associated-with-commit': (exchange) => this.#pullsOfCommit(exchange),
    'pulls/get': (exchange) => this.#getPull(exchange),
    'pulls/list': (exchange) => this.#listPulls(exchange),
  };

  addComment(issue: number, login: string, body: string, userId = 7): StoredComment {
    this.#nextId += 1;
    const comment = { id: this.#nextId, issue, login, userId, body, edits: 0 };
    this.comments.push(comment);
    return comment;
  }

  #listComments(exchange: Exchange): Reply {
    const issue = Number(exchange.params['issue_number']);
    const all = this.comments.filter((comment) => comment.issue === issue);
    if (this.staleCommentLists > 0) {
      this.staleCommentLists -= 1;
      all.pop();
    }
    const { page, headers } = paged(all, exchange);
    return { status: 200, body: page.map(commentAnswer), headers };
  }

  #find({ params }: Exchange): StoredComment | undefined {
    return this.comments.find((comment) => comment.id === Number(params['comment_id']));
  }

  #getComment(exchange: Exchange): Reply {
    const comment = this.#find(exchange);
    return comment === undefined ? notFound() : { status: 200, body: commentAnswer(comment) };
  }

  #createComment({ params, body, token }: Exchange): Reply {
    const text = commentBody.parse(body).body;
    if (text.length > COMMENT_MAX_CHARS) return tooLong();
    const comment = this.addComment(Number(params['issue_number']), token.login, text, token.userId);
    return { status: 201, body: commentAnswer(comment) };
  }

  #updateComment(exchange: Exchange): Reply {
    const comment = this.#find(exchange);
    const text = commentBody.parse(exchange.body).body;
    if (comment === undefined) return notFound();
    if (text.length > COMMENT_MAX_CHARS) return tooLong();
    comment.body = text;
    comment.edits += 1;
    return { status: 200, body: commentAnswer(comment) };
  }

  #deleteComment(exchange: Exchange): Reply {
    const comment = this.#find(exchange);
    if (comment === undefined) return notFound();
    this.comments.splice(this.comments.indexOf(comment), 1);
    return { status: 204 };
  }

  #pullsOfCommit(exchange: Exchange): Reply {
    const sha = exchange.params['commit_sha'];
    const { page, headers } = paged(
      this.pulls.filter((pull) => pull.headSha === sha),
      exchange,
    );
    return { status: 200, body: page.map(pullAnswer), headers };
  }

  #listPulls(exchange: Exchange): Reply {
    const open = this.pulls.filter(({ state }) => state === 'open');
    const { page, headers } = paged(open, exchange);
    return { status: 200, body: page.map(pullAnswer), headers };
  }

  #getPull({ params }: Exchange): Reply {
    const pull = this.pulls.find((candidate) => candidate.number === Number(params['pull_number']));
    return pull === undefined ? notFound() : { status: 200, body: pullAnswer(pull) };
  }
}

function tooLong(): Reply {
  return unprocessable('Validation Failed', [
    {
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${COMMENT_MAX_CHARS} characters)`,
    },
  ]);
}

function commentAnswer(comment: StoredComment) {
  const user = {
    id: comment.userId,
    login: comment.login,
    type: comment.login.endsWith('[bot]') ? 'Bot' : 'User',
  };
  const html_url = `https://github.com/acme/robots/pull/${comment.issue}#issuecomment-${comment.id}`;
  return { id: comment.id, body: comment.body, user, html_url };
}

function pullAnswer(pull: StoredPull) {
  const repo = (id: number, fullName: string) => ({ id, full_name: fullName });
  return {
    number: pull.number,
    state: pull.state,
    user: { login: pull.author ?? 'author', type: 'User' },
    labels: (pull.labels ?? []).map((name) => ({ name })),
    head: { sha: pull.headSha, ref: pull.headRef, repo: repo(pull.headRepoId, pull.headRepo) },
    base: { sha: pull.baseSha, ref: pull.baseRef, repo: repo(pull.baseRepoId, pull.baseRepo) },
  };
}
