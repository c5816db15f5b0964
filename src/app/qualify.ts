import { randomBytes } from 'node:crypto';
import { EXIT, type ExitCode, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { onHost } from '../job/measure/take-host.ts';
import { findTasks } from '../job/prepare/find-tasks.ts';
import { type OpenJob, openJob, searchOf } from '../job/prepare/open-job.ts';
import { refuseForks } from '../job/prepare/refuse-forks.ts';
import { readEvent } from '../job/read-event.ts';
import { type VerbContext, WORKSPACE_STATE } from '../job/verb.ts';
import type { Lane } from '../lane/held-lane.ts';
import { BENCH_FOLDER } from '../lane/host-folder.ts';
import type { Qualification } from '../model/qualification.ts';
import { runId } from '../plan/ids.ts';
import { runContext } from '../platform/run-context.ts';
import { toolFacts } from '../platform/tool-facts.ts';
import { DISCOVERY_PHASE } from '../qualification/cost.ts';
import { qualificationText } from '../qualification/qualification-text.ts';
import { gateOf } from './qualify/control-plan.ts';
import { phase, qualifySuite } from './qualify/qualify-suite.ts';

/**
 * `qualify` and `mode: qualify`: shows on the real path that this benchmark tells good from bad, without the policy
 * under test and without a call to GitHub. Keeps the result on the host for later runs.
 * @throws RbError RB630, RB632 (exit 3) for a control or damaged evidence that came out wrong, RB631 (exit 4) for one
 * that did not run; the result is kept all the same, and no run relies on it.
 */
export async function qualify(verb: VerbContext): Promise<ExitCode> {
  const { inputs, signal } = verb;
  const payload = await readEvent(verb.env);
  await refuseForks(verb.env, payload, inputs.workspace);
  const run = runContext(verb.env, payload);
  const job = await openJob(verb, run, { policy: false });
  const { suites } = job;
  verb.action?.saveState(WORKSPACE_STATE, job.host.workspace);
  const idOf = qualificationIds(verb);
  const made = await onHost(job, suites.slice(0, 1).map(idOf), async ({ host, lane }) => {
    const done: Qualification[] = [];
    for (const suite of suites) {
      if (signal.aborted) break;
      await lane.serve(idOf(suite));
      done.push(await oneSuite({ ...job, host }, lane, { suite, id: idOf(suite) }));
    }
    return done;
  });
  verb.stdout(
    verb.json
      ? `${JSON.stringify(made, null, 2)}\n`
      : made.map((each) => qualificationText(each, BENCH_FOLDER)).join(''),
  );
  requireQualified(made);
  return EXIT.ok;
}

async function oneSuite(
  job: OpenJob,
  lane: Lane,
  { suite, id }: { readonly suite: string; readonly id: string },
): Promise<Qualification> {
  const { verb, host, run } = job;
  const began = verb.clock.now();
  const found = await findTasks(searchOf(job, suite, { runId: id, mayPrime: true }));
  const tool = await toolFacts();
  const context = { verb, host, found, suite, lane, run, tool, id, gate: gateOf(verb.inputs) };
  return qualifySuite(context, [phase(DISCOVERY_PHASE, verb.clock.now() - began)]);
}

/** Made once, so that whoever waits for the host is told the id that the qualification has. */
function qualificationIds({ clock }: VerbContext): (suite: string) => string {
  const begun = { nowMs: clock.now(), randomHex: randomBytes(4).toString('hex') };
  return (suite) => runId({ kind: 'cli', ...begun, suite: `qualify-${suite}` });
}

/** @throws RbError with every control and mutant that did not come out as it should. */
function requireQualified(made: readonly Qualification[]): void {
  const wrong = made.flatMap(wrongParts);
  const skipped = made.flatMap(skippedParts);
  if (wrong.length > 0) throw new RbError(EXIT.refused, [...wrong, ...skipped]);
  if (skipped.length > 0) throw new RbError(EXIT.noVerdict, skipped);
}

function wrongParts({ id, bound, controls, mutants }: Qualification): Problem[] {
  return [
    ...controls
      .filter(({ state }) => state === 'misbehaved')
      .map(
        ({ name, observed, expected }): Problem =>
          problemOf('RB630', {
            where: `control ${name} of ${bound.suite}`,
            message: `the benchmark said ${observed}; it had to say ${expected}.`,
            fix: `Look at its bundle in ${BENCH_FOLDER}/${id}/${name}, and do not judge a policy with this benchmark before it is mended.`,
          }),
      ),
    ...mutants
      .filter(({ ok, applied }) => !ok && applied)
      .map(
        ({ name, observed, expected }): Problem =>
          problemOf('RB632', {
            where: `evidence of ${bound.suite}, ${name}`,
            message: `the answer was: ${observed}; it had to be: ${expected}.`,
            fix: 'Report this; until it is mended, damaged evidence may pass as sound.',
          }),
      ),
  ];
}

function skippedParts({ bound, skipped, controls, mutants }: Qualification): Problem[] {
  const observed = (name: string): string =>
    controls.find((control) => control.name === name)?.observed ?? '';
  const untried = mutants.filter(({ applied }) => !applied).length;
  const problems = skipped.map(
    (name): Problem =>
      problemOf('RB631', {
        where: `control ${name} of ${bound.suite}`,
        message: `its episodes did not run to their end (${observed(name)}), so it shows nothing.`,
        fix: 'See to the host (rollout-bench doctor), then qualify again.',
      }),
  );
  if (problems.length > 0 || untried === 0) return problems;
  return [
    problemOf('RB631', {
      where: `evidence of ${bound.suite}`,
      message: `${untried} kinds of damage could not be tried.`,
      fix: 'See to the host (rollout-bench doctor), then qualify again.',
    }),
  ];
}
