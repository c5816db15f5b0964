import { EXIT, type ExitCode } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Decision } from '../../model/verdict.ts';
import { stepFails } from '../../verdict/decide.ts';
import type { AssessedSuite } from '../judge/assess-suite.ts';
import { averageOf } from '../judge/judge-together.ts';

/** What an exit code follows from. */
interface Outcome {
  readonly suites: readonly AssessedSuite[];
  /** The evidence of a release was to be attached to it and was not. */
  readonly releaseFailed: boolean;
}

/**
 * Exit code of a report: the worst of the suites and their average decides, then a drift alarm that is to fail the step, then
 * a release that lacks its evidence. Pure.
 */
export function reportExit(
  { suites, releaseFailed }: Outcome,
  { onTrendAlarm }: Pick<Inputs, 'onTrendAlarm'>,
): ExitCode {
  const rulesOf = ({ measurement }: AssessedSuite) => measurement.plan.thresholds.onInconclusive;
  const codes = suites.map((suite): ExitCode => {
    const drifted = onTrendAlarm === 'fail' && suite.drift?.alarm != null;
    const code = exitOf(suite.decision, rulesOf(suite));
    return code === EXIT.ok && drifted ? EXIT.fail : code;
  });
  const average = averageOf(suites);
  const strict = suites.some((suite) => rulesOf(suite) === 'fail');
  if (average !== null) codes.push(exitOf(average.decision, strict ? 'fail' : 'pass'));
  if (releaseFailed) codes.push(EXIT.refused);
  return codes.find((code) => code === EXIT.noVerdict) ?? codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}

function exitOf({ verdict }: Decision, onInconclusive: 'pass' | 'fail'): ExitCode {
  if (!stepFails(verdict, onInconclusive)) return EXIT.ok;
  return verdict === 'FAIL' ? EXIT.fail : EXIT.noVerdict;
}
