import { EXIT, type ExitCode } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { stepFails } from '../../verdict/decide.ts';
import type { AssessedSuite } from './assess-suite.ts';

/** Exit code of a report: the worst suite decides, then a drift alarm that is to fail the step. Pure. */
export function reportExit(
  suites: readonly AssessedSuite[],
  { onTrendAlarm }: Pick<Inputs, 'onTrendAlarm'>,
): ExitCode {
  const codes = suites.map(({ decision, measurement, drift }): ExitCode => {
    const drifted = onTrendAlarm === 'fail' && drift?.alarm != null;
    if (!stepFails(decision.verdict, measurement.plan.thresholds.onInconclusive))
      return drifted ? EXIT.fail : EXIT.ok;
    return decision.verdict === 'FAIL' ? EXIT.fail : EXIT.noVerdict;
  });
  return codes.find((code) => code === EXIT.noVerdict) ?? codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}
