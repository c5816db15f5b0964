import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { wallCapWarnings } from '../plan/foresight.ts';
import { planDigest } from '../plan/make-plan.ts';
import { planText } from '../plan/plan-text.ts';
import { runContext } from '../platform/run-context.ts';
import { reportProblems } from './guard.ts';
import { readEvent } from './read-event.ts';
import { secondsPerEpisode } from './run/earlier-runs.ts';
import { stopBaselineAtHand } from './run/early-stop-rules.ts';
import { findTasks } from './run/find-tasks.ts';
import { openHost } from './run/open-host.ts';
import { armsOf, planFor, suitesOf } from './run/plan-for.ts';
import { readTasksFile } from './run/read-tasks-file.ts';
import type { VerbContext } from './verb.ts';

/** `plan`: what a run would do, how long it would take and what it could see. Writes nothing to the workspace. */
export async function plan(verb: VerbContext): Promise<ExitCode> {
  const { inputs, clock, log, signal } = verb;
  const run = runContext(verb.env, await readEvent(verb.env));
  const host = await openHost(inputs, { policy: false });
  reportProblems(host.warnings, log);
  const tasksFile = inputs.tasksFile === null ? null : await readTasksFile(inputs.tasksFile);
  const stopBaseline = (await stopBaselineAtHand(inputs, suitesOf(inputs, host)))?.digest ?? null;
  const plans = [];
  for (const suite of suitesOf(inputs, host)) {
    const found = await findTasks({
      host,
      suite,
      inputs,
      tasksFile,
      runId: 'plan',
      mayPrime: false,
      clock,
      log,
      signal,
    });
    const made = planFor({ host, inputs, suite, found, arms: armsOf(inputs), run, stopBaseline });
    plans.push({ digest: planDigest(made), plan: made });
    if (verb.json) continue;
    const seconds = await secondsPerEpisode(host.workspace, suite);
    const surroundings = {
      target: host.target.id,
      discovery: found,
      secondsPerEpisode: seconds,
      warnings: wallCapWarnings(made, seconds),
    };
    verb.stdout(`${planText(made, surroundings)}\n`);
  }
  if (verb.json) verb.stdout(`${JSON.stringify(plans, null, 2)}\n`);
  return EXIT.ok;
}
