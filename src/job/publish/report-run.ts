import { attemptFolder } from '../../bundle/layout.ts';
import type { CheckRun } from '../../github/check-run.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import type { Measurement } from '../../results/measurement.ts';
import { putFile } from '../../workspace/put-file.ts';
import { type AssessedSuite, assessSuite, viewOf } from '../judge/assess-suite.ts';
import { judgeTogether } from '../judge/judge-together.ts';
import type { MeasuredPlan } from '../measure/measured-plan.ts';
import type { VerbContext } from '../verb.ts';
import type { BundleHere } from './release-archives.ts';
import { reportOutputs, suiteOutputs } from './report-outputs.ts';
import { reportSuites } from './report-suites.ts';
import { summarise } from './show-run.ts';
import { writeDecided } from './write-report.ts';

/** What became of a run. */
export interface RunOutcome {
  readonly suites: readonly AssessedSuite[];
  /** The verdict is the last word, and its page was written. */
  readonly decided: boolean;
  /** The evidence of a release was to be attached to it and was not. */
  readonly releaseFailed: boolean;
  readonly outputs: Readonly<Record<string, string>>;
}

interface ReportRequest {
  readonly payload: unknown;
  readonly measurements: readonly Measurement[];
  readonly artifacts: readonly number[];
  readonly runs: readonly MeasuredPlan[];
  readonly template: string | null;
  readonly check: CheckRun | null;
}

/**
 * Says what a run measured: decides and publishes, or for `mode: run` only shows, because whoever merges the parts decides.
 */
export function reportRun(verb: VerbContext, request: ReportRequest): Promise<RunOutcome> {
  // Whoever cancelled a job does not wait for publishing, and half a measurement is nobody's result.
  return verb.inputs.mode === 'run' || verb.signal.aborted
    ? provisional(verb, request.measurements)
    : final(verb, request);
}

async function provisional(verb: VerbContext, measurements: readonly Measurement[]): Promise<RunOutcome> {
  const suites = judgeTogether(measurements.map((measurement) => assessSuite(measurement, null)));
  if (verb.action !== null) await summarise(suites, verb);
  return { suites, outputs: suiteOutputs(suites), decided: false, releaseFailed: false };
}

async function final(verb: VerbContext, request: ReportRequest): Promise<RunOutcome> {
  const { payload, measurements, artifacts, runs, template, check } = request;
  const artifactId = artifacts[0] ?? null;
  const bundles = runs.filter(({ sealed }) => sealed.manifestSha256 !== null).map(bundleHere);
  const reported = await reportSuites({ verb, payload, measurements, bundles, artifactId, template, check });
  for (const [index, suite] of reported.suites.entries()) {
    const run = runs.find(({ runId }) => runId === suite.measurement.run.runId) ?? runs[index];
    if (run === undefined) continue;
    const view = viewOf(suite, 'workspace', attemptFolder(run.runId, run.attempt));
    await putFile(run.sealed.reportPath, renderMarkdown(view, template));
    await writeDecided(run.bundleDir, run.suite, reported.files);
  }
  const { suites, releaseFailed } = reported;
  return { suites, releaseFailed, outputs: reportOutputs(reported), decided: true };
}

function bundleHere({ plan, bundleDir, sealed, stopBaseline }: MeasuredPlan): BundleHere {
  const { run } = sealed.results;
  return { plan, run, dir: bundleDir, stopBaseline: stopBaseline?.kept ?? null, kind: 'sealed' };
}
