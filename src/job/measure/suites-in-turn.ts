import { hostRefusal } from '../../queue/host-refusal.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { untilTargetAnswers } from '../prepare/target-answers.ts';
import { attemptsOf } from '../runs/attempt-folders.ts';
import type { VerbContext } from '../verb.ts';
import type { MeasuredPlan } from './measured-plan.ts';

/** The suites of a job, and what asking their target needs. */
interface SuitesInTurn {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly suites: readonly string[];
}

/**
 * Measures the suites of a job, until one of them does not come to its end: a host that is gone for one is gone for the next.
 * @throws what the first one throws; a refusal of a later one is only logged.
 */
export async function oneAfterTheOther(
  job: SuitesInTurn,
  measure: (suite: string) => Promise<MeasuredPlan>,
): Promise<readonly MeasuredPlan[]> {
  const done: MeasuredPlan[] = [];
  for (const suite of job.suites) {
    const run = done.length === 0 ? await measure(suite) : await laterSuite(job, suite, measure);
    if (run === null) break;
    done.push(run);
    if (run.end.end !== 'complete') break;
  }
  return done;
}

/**
 * Measures a suite after the first. What is measured already is shown whatever happens now, so a refusal ends the run
 * here instead of the program: null then, with the reason in the log. A target that is being restarted is waited for
 * as in the middle of a suite (`host-wait`).
 */
async function laterSuite(
  job: SuitesInTurn,
  suite: string,
  measure: (suite: string) => Promise<MeasuredPlan>,
): Promise<MeasuredPlan | null> {
  try {
    await untilTargetIsBack(job);
    return await measure(suite);
  } catch (error) {
    const { log, signal } = job.verb;
    const refusal = signal.aborted ? 'the run was interrupted' : hostRefusal(error);
    if (refusal === null) throw error;
    log.error(`${suite} could not be measured: ${refusal}`);
    return null;
  }
}

/**
 * Waits before a run that has begun on this host already: whoever resumes after an outage, or in the middle of one, was
 * not told that an endpoint is wrong. A run that begins is told so at once.
 */
export async function untilResumable(job: Pick<SuitesInTurn, 'verb' | 'host'>, runId: string): Promise<void> {
  if ((await attemptsOf(job.host.workspace, runId)).length > 0) await untilTargetIsBack(job);
}

function untilTargetIsBack({ verb, host }: Pick<SuitesInTurn, 'verb' | 'host'>): Promise<void> {
  const { inputs, clock, log, signal } = verb;
  const { target: endpoint } = host.endpoints;
  return untilTargetAnswers({ endpoint, waitMs: inputs.hostWaitS * 1e3, clock, log, signal });
}
