import { problemLine, problemOf } from '../../errors/rb-error.ts';
import { maskInJobLog } from '../../platform/actions-log.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import { httpsAddress, postJson } from '../../platform/https-post.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { type NoticeSuite, noticeBody } from '../../report/notice.ts';
import { bestEffort } from '../best-effort.ts';
import { type AssessedSuite, viewOf } from '../judge/assess-suite.ts';
import type { EventFacts } from '../judge/ref-standing.ts';
import type { VerbContext } from '../verb.ts';
import { screenOf } from './screen-publication.ts';

const TIMEOUT_MS = 10_000;

interface NotifyRequest {
  readonly verb: VerbContext;
  readonly payload: unknown;
  readonly suites: readonly AssessedSuite[];
  readonly facts: EventFacts;
  readonly context: RunContext;
  readonly reportUrl: string | null;
}

/**
 * Tells a webhook of release verdicts and drift alarms, where one is named and somebody waits for it. Never for code of
 * a fork, and only by a step that runs none. What goes wrong is a warning; the address is in none.
 */
export async function notify(request: NotifyRequest): Promise<void> {
  const { verb, payload, facts } = request;
  const { inputs, env, log } = verb;
  const name = inputs.notify;
  // At a terminal nobody waits for a message about what is read there.
  if (name === null || verb.action === null) return;
  if (inputs.mode !== 'report') {
    const message = 'a notice is sent by a step of a workflow with mode: report.';
    log.warning(problemLine(problemOf('RB916', { where: 'input notify', message, fix: ONLY_REPORT })));
    return;
  }
  const { relation } = forkGuard({ env, payload, operatorAllows: true });
  if (facts.unauthenticated || relation === 'fork' || relation === 'unknown') return;
  await bestEffort(log, () => send(request, name));
}

const ONLY_REPORT = 'Leave notify out here, and report in a job of its own.';

async function send(request: NotifyRequest, name: string): Promise<void> {
  const { verb } = request;
  const body = noticeOf(request);
  if (body === null) return;
  screenOf(verb)('the notice', body);
  const address = verb.env[name]?.trim() ?? '';
  if (address !== '') maskInJobLog([address]);
  const url = httpsAddress(address);
  const refused = (code: 'RB914' | 'RB915', message: string, fix: string): void =>
    verb.log.warning(problemLine(problemOf(code, { where: `input notify, variable ${name}`, message, fix })));
  if (url === null) {
    const what = address === '' ? 'it is not set.' : 'it holds no https address.';
    refused('RB914', what, `Set it at the step, from a secret: env: { ${name}: \${{ secrets.${name} }} }.`);
    return;
  }
  const why = await postJson(url, body, { timeoutMs: TIMEOUT_MS, signal: verb.signal });
  if (why === null) verb.log.info('The webhook was told.');
  else
    refused('RB915', `${why}.`, 'Check the secret, and that the service is up; a later report tries again.');
}

/** Null when there is neither the verdict of a release nor a drift alarm. Pure. */
function noticeOf({ suites, context, facts, reportUrl }: NotifyRequest): string | null {
  const { repository, runUrl } = context;
  const ref = facts.branch ?? context.ref;
  return noticeBody({ suites: suites.map(suiteOf), repository, ref, runUrl, reportUrl });
}

function suiteOf(suite: AssessedSuite): NoticeSuite {
  const { comparison, measurement, drift } = suite;
  return {
    view: viewOf({ ...suite, average: null }, 'published', null),
    isRelease: measurement.plan.purpose === 'release',
    change:
      comparison === null
        ? null
        : {
            points: comparison.common === undefined ? comparison.change : null,
            baseline: comparison.baseline,
          },
    drift: drift?.alarm?.text ?? null,
  };
}
