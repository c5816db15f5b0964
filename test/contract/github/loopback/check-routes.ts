import * as z from 'zod';
import { type Exchange, notFound, paged, type Reply, type Route, unprocessable } from './exchange.ts';

const CHECK_TEXT_MAX_CHARS = 65_535;
const ANNOTATIONS_MAX = 50;
const ANNOTATION_TITLE_MAX_CHARS = 255;
const ANNOTATION_TEXT_MAX_BYTES = 65_536;

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

/** Check runs with their documented limits. */
export class CheckRoutes {
  readonly checks: StoredCheck[] = [];
  #nextId = 5000;

  readonly routes: Record<string, Route> = {
    'checks/create': (exchange) => this.#createCheck(exchange),
    'checks/update': (exchange) => this.#updateCheck(exchange),
    'checks/list-for-ref': (exchange) => this.#listChecks(exchange),
  };

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
