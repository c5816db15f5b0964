import * as z from 'zod';
import type { Verdict } from '../model/verdict.ts';
import { annotationChunks, type CheckAnnotation, checkText, checkTitle } from '../report/check-output.ts';
import type { GitHubClient, Repository } from './client.ts';
import type { Purpose } from './failure.ts';

const PURPOSE: Purpose = { what: 'write the check run', permissions: ['checks: write'] };
const checkSchema = z.object({ id: z.number(), html_url: z.string().nullable() });

type Conclusion = 'success' | 'failure' | 'neutral' | 'cancelled' | 'timed_out';

interface CheckOpening {
  /** Stable: branch protection names it. */
  readonly name: string;
  readonly headSha: string;
  readonly detailsUrl: string | null;
}
export interface CheckClosing {
  readonly conclusion: Conclusion;
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly text: string | null;
  readonly annotations: readonly CheckAnnotation[];
}
export interface CheckOutcome {
  readonly id: number;
  readonly url: string | null;
}

/** FAIL and INVALID are red; INCONCLUSIVE is as `on-inconclusive` wants it. */
export function conclusionOf(verdict: Verdict, onInconclusive: 'pass' | 'fail'): Conclusion {
  if (verdict === 'PASS') return 'success';
  if (verdict === 'INCONCLUSIVE') return onInconclusive === 'pass' ? 'neutral' : 'failure';
  return 'failure';
}

/** One check run on the measured commit: opened before the work, closed on every path. */
export class CheckRun {
  readonly #client: GitHubClient;
  readonly #repository: Repository;
  readonly #opening: CheckOpening;
  #opened: CheckOutcome | null = null;
  #closed = false;

  constructor(client: GitHubClient, repository: Repository, opening: CheckOpening) {
    this.#client = client;
    this.#repository = repository;
    this.#opening = opening;
  }

  /** Shows the check as running. @throws GitHubFailure */
  async open(): Promise<CheckOutcome> {
    this.#opened = await this.#create({ status: 'in_progress' });
    return this.#opened;
  }

  /** Ends the check, opened or not. A second call changes nothing. @throws GitHubFailure */
  async close(closing: CheckClosing): Promise<CheckOutcome> {
    if (this.#closed && this.#opened !== null) return this.#opened;
    const chunks = annotationChunks(closing.annotations);
    for (const [index, annotations] of chunks.entries()) {
      const last = index === chunks.length - 1;
      const state = last
        ? { status: 'completed', conclusion: closing.conclusion }
        : { status: 'in_progress' };
      await this.#send({ ...state, output: outputOf(closing, annotations) });
    }
    this.#closed = true;
    if (this.#opened === null) throw new Error('a check without a request');
    return this.#opened;
  }

  /** For the paths on which nothing was decided; does nothing when the check was never opened or is closed. */
  async abandon(conclusion: 'cancelled' | 'timed_out' | 'failure', why: string): Promise<void> {
    if (this.#opened === null || this.#closed) return;
    await this.close({ conclusion, title: why, summary: why, text: null, annotations: [] });
  }

  async #send(fields: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#opened === null) {
      this.#opened = await this.#create(fields);
      return;
    }
    await this.#client.request({
      route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      params: { ...this.#repository, check_run_id: this.#opened.id, ...fields },
      schema: checkSchema,
      purpose: PURPOSE,
    });
  }

  async #create(fields: Readonly<Record<string, unknown>>): Promise<CheckOutcome> {
    const { name, headSha, detailsUrl } = this.#opening;
    const created = await this.#client.request({
      route: 'POST /repos/{owner}/{repo}/check-runs',
      params: {
        ...this.#repository,
        name,
        head_sha: headSha,
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        ...fields,
      },
      schema: checkSchema,
      purpose: PURPOSE,
    });
    return { id: created.id, url: created.html_url };
  }
}

function outputOf({ title, summary, text }: CheckClosing, annotations: readonly CheckAnnotation[]) {
  return {
    title: checkTitle(title),
    summary: checkText(summary),
    ...(text === null ? {} : { text: checkText(text) }),
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}
