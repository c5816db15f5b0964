import { stableJson } from '../../base/stable-json.ts';
import { EXIT, type ExitCode } from '../../errors/rb-error.ts';
import { writeStepSummary } from '../../github/step-summary.ts';
import { bestEffort } from '../../job/best-effort.ts';
import { screenFiles, screenOf } from '../../job/publish/screen-publication.ts';
import { writeReport } from '../../job/publish/write-report.ts';
import type { VerbContext } from '../../job/verb.ts';
import { comparisonMarkdown, comparisonTerminal } from '../../report/policies/tables.ts';
import type { Part } from '../../results/measurement.ts';
import { stepFails } from '../../verdict/decide.ts';
import { compareSuites } from './compare-suites.ts';
import { comparisonFiles } from './comparison-files.ts';
import { policyMeasurements } from './policy-measurements.ts';

/**
 * What `report` does with bundles of several declared policies, of which no single report can be made: the table of
 * `compare`, in the report folder and the job summary. No policy is judged, so the verdict is INCONCLUSIVE and the step
 * does what the plans say of that: a gate never passes by bundles that got mixed up.
 */
export async function reportComparison(verb: VerbContext, parts: readonly Part[]): Promise<ExitCode> {
  const measurements = policyMeasurements(parts);
  const comparison = compareSuites(measurements);
  const files = comparisonFiles(comparison);
  screenFiles(files, screenOf(verb));
  const { reportDir } = verb.inputs;
  if (reportDir !== null) await writeReport(reportDir, files);
  verb.stdout(verb.json ? stableJson(comparison) : comparisonTerminal(comparison));
  verb.log.warning('The bundles are of several policies: they were compared, and none was judged.');
  verb.action?.setOutput('verdict', 'INCONCLUSIVE');
  if (verb.action !== null) {
    const summary = comparisonMarkdown(comparison, null);
    await bestEffort(verb.log, () => writeStepSummary(verb.env.GITHUB_STEP_SUMMARY, summary));
  }
  const fails = measurements
    .flat()
    .some(({ plan }) => stepFails('INCONCLUSIVE', plan.thresholds.onInconclusive));
  return fails ? EXIT.noVerdict : EXIT.ok;
}
