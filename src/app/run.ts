import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { runContext } from '../platform/run-context.ts';
import { stepFails } from '../verdict/decide.ts';
import { readEvent } from './read-event.ts';
import { refuseForks } from './run/refuse-forks.ts';
import { type Benchmark, runBenchmark } from './run/run-benchmark.ts';
import { runOutputs } from './run/run-outputs.ts';
import type { SuiteRun } from './run/run-suite.ts';
import { showRun } from './run/show-run.ts';
import { uploadBundles } from './run/upload-bundles.ts';
import type { VerbContext } from './verb.ts';

/** State that main leaves for the post step. */
export const WORKSPACE_STATE = 'workspace';

/**
 * The main job, for `mode: run` and `mode: all` and on the command line. Mode `run` succeeds when everything is
 * measured and sealed, whatever the rates; `all` exits by the verdict.
 */
export async function run(verb: VerbContext): Promise<ExitCode> {
  const payload = await readEvent(verb.env);
  await refuseForks(verb.env, payload, verb.inputs.workspace);
  const benchmark = await runBenchmark({
    verb,
    run: runContext(verb.env, payload),
    template: null,
    onRun: (workspace) => verb.action?.saveState(WORKSPACE_STATE, workspace),
  });
  await showRun(benchmark.suites, verb);
  const artifacts = verb.action === null ? [] : await uploadBundles(benchmark, verb);
  const outputs = runOutputs(benchmark.suites, artifacts);
  for (const [name, value] of Object.entries(outputs)) verb.action?.setOutput(name, value);
  if (verb.json)
    verb.stdout(`${JSON.stringify({ ...outputs, exitCode: exitOf(benchmark, verb) }, null, 2)}\n`);
  sayEnd(benchmark, verb);
  return exitOf(benchmark, verb);
}

function sayEnd({ suites, notBegun }: Benchmark, { log, inputs }: VerbContext): void {
  for (const { suite, end, runId } of suites) {
    if (end.end === 'complete') continue;
    log.error(`${suite} ended ${end.end}: ${end.reason}. Go on with: resume: ${runId}`);
  }
  if (notBegun.length > 0) log.error(`Not begun: ${notBegun.join(', ')}.`);
  if (inputs.mode === 'run')
    log.info('Measured and sealed; the verdict is provisional and does not decide this step.');
}

function exitOf({ suites, notBegun }: Benchmark, { inputs }: VerbContext): ExitCode {
  if (notBegun.length > 0 || suites.some(({ end }) => end.end !== 'complete')) return EXIT.noVerdict;
  if (suites.some(({ sealed }) => sealed.quarantined.length > 0)) return EXIT.refused;
  if (inputs.mode === 'run') return EXIT.ok;
  const codes = suites.map(verdictExit);
  return codes.find((code) => code === EXIT.noVerdict) ?? codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}

function verdictExit({ sealed, plan }: SuiteRun): ExitCode {
  const { verdict } = sealed.decision;
  if (!stepFails(verdict, plan.thresholds.onInconclusive)) return EXIT.ok;
  return verdict === 'FAIL' ? EXIT.fail : EXIT.noVerdict;
}
