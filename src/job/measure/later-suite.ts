import type { Inputs } from '../../inputs/read-inputs.ts';
import { hostRefusal } from '../../queue/host-refusal.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { untilTargetAnswers } from '../prepare/target-answers.ts';
import type { VerbContext } from '../verb.ts';
import type { SuiteRun } from './suite-run.ts';

/** What a suite after the first needs of the run. */
interface LaterSuite {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly inputs: Inputs;
}

/**
 * Measures a suite after the first. What is measured already is shown whatever happens now, so a refusal ends the run
 * here instead of the program: null then, with the reason in the log. A target that is being restarted is waited for
 * as in the middle of a suite (`host-wait`).
 */
export async function laterSuite(
  { verb, host, inputs }: LaterSuite,
  suite: string,
  measure: () => Promise<SuiteRun>,
): Promise<SuiteRun | null> {
  const { clock, log, signal } = verb;
  try {
    await untilTargetAnswers({
      endpoint: host.endpoints.target,
      waitMs: inputs.hostWaitS * 1e3,
      clock,
      log,
      signal,
    });
    return await measure();
  } catch (error) {
    const refusal = signal.aborted ? 'the run was interrupted' : hostRefusal(error);
    if (refusal === null) throw error;
    log.error(`${suite} could not be measured: ${refusal}`);
    return null;
  }
}
