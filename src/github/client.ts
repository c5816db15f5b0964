import type * as z from 'zod';
import { textOrNull } from '../base/guards.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { type FailureKind, GitHubFailure, type Purpose } from './failure.ts';
import { type FailedAnswer, isRateLimit, retryDecision } from './retry-policy.ts';

/** The repository that is published to. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

interface Call<T> {
  /** `GET /repos/{owner}/{repo}/…` as GitHub documents it, or a whole address after the method. */
  readonly route: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly schema: z.ZodType<T>;
  readonly purpose: Purpose;
}

interface Answer<T> {
  readonly data: T;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface ClientSettings {
  readonly token: string;
  /** GITHUB_API_URL. */
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  /** Time that waiting and retrying may take in all, from the client's start. */
  readonly budgetMs?: number;
  readonly requestTimeoutMs?: number;
  /** GitHub asks for at least a second between writes. */
  readonly writeGapMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_BUDGET_MS = 10 * 60_000;
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const DEFAULT_WRITE_GAP_MS = 1_000;

type Send = (route: string, params: Readonly<Record<string, unknown>>) => Promise<Answer<unknown>>;

/**
 * GitHub's REST API with retries that obey its rate-limit answers inside a time budget, one write at a time, every
 * answer checked. Loads octokit at the first request only: nothing is loaded or requested while a run waits.
 */
export class GitHubClient {
  readonly settings: ClientSettings;
  #requests = 0;
  #send: Promise<Send> | null = null;
  #writes: Promise<unknown> = Promise.resolve();
  #lastWriteMs = Number.NEGATIVE_INFINITY;
  readonly #deadlineMs: number;

  constructor(settings: ClientSettings) {
    this.settings = settings;
    this.#deadlineMs = settings.clock.now() + (settings.budgetMs ?? DEFAULT_BUDGET_MS);
  }

  /** Requests sent so far, retries included. */
  get requests(): number {
    return this.#requests;
  }

  /** @throws GitHubFailure when no try succeeded */
  async request<T>(call: Call<T>): Promise<T> {
    return (await this.exchange(call)).data;
  }

  /** As `request`, with the answer's headers. */
  async exchange<T>(call: Call<T>): Promise<Answer<T>> {
    if (/^(GET|HEAD) /.test(call.route)) return this.#persist(call);
    const turn = this.#writes.then(() => this.#persist(call));
    this.#writes = turn.catch(() => undefined);
    return turn;
  }

  /**
   * All items of a paged list, following the link header.
   * @param items takes the list out of one page's answer
   * @param maxPages stops a list that never ends
   */
  async list<P, T>(call: Call<P>, items: (page: P) => readonly T[], maxPages = 50): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const answer = await this.exchange({ ...call, params: { ...call.params, per_page: 100, page } });
      found.push(...items(answer.data));
      if (!/rel="next"/.test(answer.headers['link'] ?? '')) return found;
    }
    return found;
  }

  async #persist<T>(call: Call<T>): Promise<Answer<T>> {
    for (let attempt = 0; ; attempt += 1) {
      if (!call.route.startsWith('GET ')) await this.#spaceWrites();
      const outcome = await this.#once(call);
      if ('data' in outcome) return this.#checked(call, outcome);
      await this.#pauseOrThrow(call, outcome, attempt);
    }
  }

  async #spaceWrites(): Promise<void> {
    const { clock, writeGapMs = DEFAULT_WRITE_GAP_MS } = this.settings;
    const waitMs = this.#lastWriteMs + writeGapMs - clock.now();
    if (waitMs > 0) await clock.sleep(waitMs);
    this.#lastWriteMs = clock.now();
  }

  async #once<T>(call: Call<T>): Promise<Answer<unknown> | (FailedAnswer & { readonly error: unknown })> {
    const { signal, requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS } = this.settings;
    this.#send ??= octokitSend(this.settings);
    const send = await this.#send;
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    this.#requests += 1;
    try {
      return await send(call.route, { ...call.params, request: { signal: either, ...redirectOf(call) } });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return { ...failedAnswer(error), error };
    }
  }

  #checked<T>(call: Call<T>, answer: Answer<unknown>): Answer<T> {
    const parsed = call.schema.safeParse(answer.data);
    if (parsed.success) return { data: parsed.data, headers: answer.headers };
    const issue = parsed.error.issues[0];
    const reason = `unexpected answer to ${call.route}: ${issue?.path.join('.')} ${issue?.message}`;
    throw new GitHubFailure({ kind: 'strange', status: 200, purpose: call.purpose, reason });
  }

  async #pauseOrThrow<T>(
    call: Call<T>,
    answer: FailedAnswer & { error: unknown },
    attempt: number,
  ): Promise<void> {
    const { clock, random, log, signal } = this.settings;
    const decision = retryDecision(answer, attempt, { nowMs: clock.now(), random: random() });
    const leftMs = this.#deadlineMs - clock.now();
    if (decision.kind === 'wait' && decision.ms <= leftMs) {
      if (decision.limited) {
        log.info(`GitHub asks to wait ${Math.ceil(decision.ms / 1000)} s (rate limit); waiting.`);
      }
      await clock.sleep(decision.ms, signal);
      return;
    }
    const kind = decision.kind === 'wait' && decision.limited ? 'rate-limit' : kindOf(answer);
    const waitText =
      decision.kind === 'wait'
        ? ` (the wait of ${Math.ceil(decision.ms / 1000)} s exceeds the time left)`
        : '';
    throw new GitHubFailure({
      kind,
      status: answer.status,
      purpose: call.purpose,
      reason: `${answer.message}${waitText}`,
      cause: answer.error,
    });
  }
}

/** A redirect to storage elsewhere must not be followed with the token. */
function redirectOf(call: Call<unknown>): { redirect?: 'manual' } {
  return call.route.endsWith('/zip') || call.route.endsWith('{archive_format}') ? { redirect: 'manual' } : {};
}

async function octokitSend(settings: ClientSettings): Promise<Send> {
  const { getOctokit } = await import('@actions/github');
  const quiet = () => {};
  const octokit = getOctokit(settings.token, {
    baseUrl: settings.apiUrl,
    userAgent: 'rollout-bench',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  return async (route, params) => {
    const { data, headers } = await octokit.request(route, { ...params });
    return { data, headers: textHeaders(headers) };
  };
}

function textHeaders(headers: object): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** octokit's RequestError, read by shape: a bundle may hold two copies of its class. */
function failedAnswer(error: unknown): FailedAnswer {
  if (!(error instanceof Error)) return { status: null, headers: {}, message: String(error) };
  const response = 'response' in error && isObject(error.response) ? error.response : null;
  const headers = response !== null && isObject(response['headers']) ? textHeaders(response['headers']) : {};
  const status = response !== null && typeof response['status'] === 'number' ? response['status'] : null;
  const data = response === null ? null : response['data'];
  const message = isObject(data)
    ? `${textOrNull(data['message']) ?? error.message} ${detailsOf(data['errors'])}`
    : error.message;
  return { status, headers, message: message.replace(/\s+/g, ' ').trim().slice(0, 500) };
}

/** A 422 says what it dislikes in a list beside its message. */
function detailsOf(errors: unknown): string {
  if (!Array.isArray(errors)) return '';
  return errors
    .map((item: unknown) =>
      isObject(item) ? (textOrNull(item['message']) ?? textOrNull(item['code'])) : textOrNull(item),
    )
    .filter((text) => text !== null)
    .join('; ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}

function kindOf(answer: FailedAnswer): FailureKind {
  const { status, message } = answer;
  if (isRateLimit(answer)) return 'rate-limit';
  if (status === null || status >= 500 || status === 408) return 'unreachable';
  if (/rule violations|protected (ref|branch)/i.test(message)) return 'protected';
  if (status === 401) return 'credentials';
  if (status === 403) return /not accessible|must have|permission/i.test(message) ? 'permission' : 'refused';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 409) return 'conflict';
  return status === 422 ? 'invalid' : 'refused';
}
