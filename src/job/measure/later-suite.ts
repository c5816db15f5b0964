import { hostRefusal } from '../../queue/host-refusal.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { untilTargetAnswers } from '../prepare/target-answers.ts';
import { attemptsOf } from '../runs/attempt-folders.ts';
import type { VerbContext } from '../verb.ts';
import type { MeasuredPlan } from './measured-plan.ts';

/** What a suite that is not the beginning needs of the run. */
interface LaterSuite {
  readonly verb: VerbContext;
  readonly host: OpenHost;
}

/**
 * Measures a suite after the first. What is measured already is shown whatever happens now, so a refusal ends the run
 * here instead of the program: null then, with the reason in the log. A target that is being restarted is waited for
 * as in the middle of a suite (`host-wait`).
 */
export async function laterSuite(
  { verb, host }: LaterSuite,
  suite: string,
  measure: () => Promise<MeasuredPlan>,
): Promise<MeasuredPlan | null> {
  try {
    await untilTargetIsBack({ verb, host });
    return await measure();
  } catch (error) {
    const { log, signal } = verb;
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
export async function untilResumable(suite: LaterSuite, runId: string): Promise<void> {
  if ((await attemptsOf(suite.host.workspace, runId)).length > 0) await untilTargetIsBack(suite);
}

function untilTargetIsBack({ verb, host }: LaterSuite): Promise<void> {
  const { inputs, clock, log, signal } = verb;
  const { target: endpoint } = host.endpoints;
  return untilTargetAnswers({ endpoint, waitMs: inputs.hostWaitS * 1e3, clock, log, signal });
}
