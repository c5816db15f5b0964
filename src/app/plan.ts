import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { wallCapWarnings } from '../plan/foresight.ts';
import { planDigest } from '../plan/make-plan.ts';
import { planText } from '../plan/plan-text.ts';
import { runContext } from '../platform/run-context.ts';
import { plansHere } from './plans-here.ts';
import { readEvent } from './read-event.ts';
import { secondsPerEpisode } from './run/earlier-runs.ts';
import type { VerbContext } from './verb.ts';

/** `plan`: what a run would do, how long it would take and what it could see. Writes nothing to the workspace. */
export async function plan(verb: VerbContext): Promise<ExitCode> {
  const { host, plans } = await plansHere(verb, runContext(verb.env, await readEvent(verb.env)));
  if (verb.json) {
    const printed = plans.map(({ plan: made }) => ({ digest: planDigest(made), plan: made }));
    verb.stdout(`${JSON.stringify(printed, null, 2)}\n`);
    return EXIT.ok;
  }
  for (const { plan: made, found } of plans) {
    const seconds = await secondsPerEpisode(host.workspace, made.suite);
    const surroundings = {
      target: host.target.id,
      discovery: found,
      secondsPerEpisode: seconds,
      warnings: wallCapWarnings(made, seconds),
    };
    verb.stdout(`${planText(made, surroundings)}\n`);
  }
  return EXIT.ok;
}
