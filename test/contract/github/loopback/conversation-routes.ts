import * as z from 'zod';
import { type Exchange, notFound, paged, type Reply, type Route, unprocessable } from './exchange.ts';

const COMMENT_MAX_CHARS = 65_536;
const CHECK_TEXT_MAX_CHARS = 65_535;
const ANNOTATIONS_MAX = 50;
const ANNOTATION_TITLE_MAX_CHARS = 255;
const ANNOTATION_TEXT_MAX_BYTES = 65_536;

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
}
export interface StoredCheck {
  readonly id: number;
  readonly name: string;
  readonly headSha: string;
  status: string;
  conclusion: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotations: unknown[];
}

const commentBody = z.looseObject({ body: z.string() });
const checkBody = z.looseObject({
  name: z.string().optional(),
  head_sha: z.string().optional(),
  status: z.string().optional(),
  conclusion: z.string().optional(),
  output: z
    .looseObject({
      title: z.string().optional(),
      summary: z.string().optional(),
      text: z.string().optional(),
      annotations: z
        .array(
          z.looseObject({
            message: z.string(),
            title: z.string().optional(),
            raw_details: z.string().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});

/** Comments, pull requests and check runs. */
export class ConversationRoutes {
  readonly comments: StoredComment[] = [];
  readonly pulls: StoredPull[] = [];
  readonly checks: StoredCheck[] = [];
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
    'checks/create': (exchange) => this.#createCheck(exchange),
    'checks/update': (exchange) => this.#updateCheck(exchange),
    'checks/list-for-ref': (exchange) => this.#listChecks(exchange),
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

  #getPull({ params }: Exchange): Reply {
    const pull = this.pulls.find((candidate) => candidate.number === Number(params['pull_number']));
    return pull === undefined ? notFound() : { status: 200, body: pullAnswer(pull) };
  }

  #createCheck({ body }: Exchange): Reply {
    const sent = checkBody.parse(body);
    const refusal = checkRefusal(sent);
    if (refusal !== null) return refusal;
    this.#nextId += 1;
    const check: StoredCheck = {
      id: this.#nextId,
      name: sent.name ?? '',
      headSha: sent.head_sha ?? '',
      status: 'queued',
      conclusion: null,
      title: null,
      summary: null,
      text: null,
      annotations: [],
    };
    this.checks.push(check);
    applyCheck(check, sent);
    return { status: 201, body: checkAnswer(check) };
  }

  #updateCheck({ params, body }: Exchange): Reply {
    const sent = checkBody.parse(body);
    const check = this.checks.find((candidate) => candidate.id === Number(params['check_run_id']));
    if (check === undefined) return notFound();
    const refusal = checkRefusal(sent);
    if (refusal !== null) return refusal;
    applyCheck(check, sent);
    return { status: 200, body: checkAnswer(check) };
  }

  #listChecks(exchange: Exchange): Reply {
    const name = exchange.query.get('check_name');
    const found = this.checks.filter(
      (check) => check.headSha === exchange.params['ref'] && (name === null || check.name === name),
    );
    const { page, headers } = paged(found, exchange);
    return { status: 200, body: { total_count: found.length, check_runs: page.map(checkAnswer) }, headers };
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

function checkRefusal(sent: z.infer<typeof checkBody>): Reply | null {
  const { output } = sent;
  const annotations = output?.annotations ?? [];
  const faults = [
    [output?.summary, output?.text].some((text) => (text ?? '').length > CHECK_TEXT_MAX_CHARS) &&
      'text too long',
    annotations.length > ANNOTATIONS_MAX && 'No more than 50 annotations',
    annotations.some((item) => (item.title ?? '').length > ANNOTATION_TITLE_MAX_CHARS) &&
      'annotation title too long',
    annotations.some((item) =>
      [item.message, item.raw_details ?? ''].some(
        (text) => Buffer.byteLength(text) > ANNOTATION_TEXT_MAX_BYTES,
      ),
    ) && 'annotation text too long',
    sent.status === 'completed' && sent.conclusion === undefined && 'conclusion is missing',
    output !== undefined &&
      (output.title === undefined || output.summary === undefined) &&
      'title and summary belong together',
  ].filter((fault) => fault !== false);
  return faults.length === 0 ? null : unprocessable('Invalid request.\n\n', faults);
}

function applyCheck(check: StoredCheck, sent: z.infer<typeof checkBody>): void {
  check.status = sent.conclusion === undefined ? (sent.status ?? check.status) : 'completed';
  check.conclusion = sent.conclusion ?? check.conclusion;
  check.title = sent.output?.title ?? check.title;
  check.summary = sent.output?.summary ?? check.summary;
  check.text = sent.output?.text ?? check.text;
  check.annotations.push(...(sent.output?.annotations ?? []));
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
    head: { sha: pull.headSha, ref: pull.headRef, repo: repo(pull.headRepoId, pull.headRepo) },
    base: { sha: pull.baseSha, ref: pull.baseRef, repo: repo(pull.baseRepoId, pull.baseRepo) },
  };
}

function checkAnswer(check: StoredCheck) {
  return {
    id: check.id,
    name: check.name,
    head_sha: check.headSha,
    status: check.status,
    conclusion: check.conclusion,
    html_url: `https://github.com/acme/robots/runs/${check.id}`,
    output: {
      title: check.title,
      summary: check.summary,
      text: check.text,
      annotations_count: check.annotations.length,
    },
  };
}
