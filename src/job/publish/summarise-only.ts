import { writeStepSummary } from '../../github/step-summary.ts';
import type { AssessedSuite } from '../judge/assess-suite.ts';
import type { VerbContext } from '../verb.ts';
import { summaryOf } from './publication.ts';
import { publish } from './publish.ts';
import { screenOf } from './screen-publication.ts';

/** Without a token the job summary is all that can be published. */
export async function summariseOnly(verb: VerbContext, suites: readonly AssessedSuite[]): Promise<void> {
  const { env, log, clock } = verb;
  const nothing = { artifact: null, release: null, branch: null, check: null, comment: null };
  const text = summaryOf(suites);
  screenOf(verb)('the job summary', text);
  const summary = () => writeStepSummary(env.GITHUB_STEP_SUMMARY, text);
  await publish({ ...nothing, summary }, { log, clock });
}
