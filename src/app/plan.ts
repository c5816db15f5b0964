import { redactValue, textRedactor } from '../bundle/redact.ts';
import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { presetRows } from '../inputs/preset-text.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { writeNewFile } from '../job/new-file.ts';
import { pinsFor } from '../job/prepare/pins-for.ts';
import { planWarnings } from '../job/prepare/plan-warnings.ts';
import { type PlansHere, plansHere } from '../job/prepare/plans-here.ts';
import { policySources } from '../job/prepare/policy-source.ts';
import { lookAtWorkspace } from '../job/prepare/workspace-look.ts';
import { readEvent } from '../job/read-event.ts';
import { earlierPace } from '../job/runs/earlier-runs.ts';
import { textOption } from '../job/text-option.ts';
import type { VerbContext } from '../job/verb.ts';
import { type Pin, pinSchema } from '../model/pins.ts';
import { isHeldOutPlan } from '../model/plan.ts';
import { planFileText } from '../plan/plan-file.ts';
import { hostFacts } from '../platform/host-facts.ts';
import { type RunContext, runContext } from '../platform/run-context.ts';
import { toolFacts } from '../platform/tool-facts.ts';
import { planText } from '../report/plan-text.ts';

const MAX_PATH = 4096;

/**
 * `plan`: what a run would do, how long it would take and what it could see. Writes nothing to the workspace; with
 * `--out`, the plans to a new file.
 */
export async function plan(verb: VerbContext): Promise<ExitCode> {
  const out = verb.options.has('out')
    ? textOption(verb, 'out', { max: MAX_PATH, example: 'plan.json' })
    : null;
  const context = runContext(verb.env, await readEvent(verb.env));
  // A file and JSON are for machines that compare digests.
  const here = await plansHere(verb, context, { provisional: out === null && !verb.json });
  const pinned = await withPins(verb, here, context);
  const exported = verb.options.has('public')
    ? pinned.filter(({ plan: made }) => !isHeldOutPlan(made)).map(publicPins)
    : pinned;
  if (out !== null) await writeNewFile(out, planFileText(exported));
  if (verb.json) verb.stdout(planFileText(exported));
  else for (const each of exported) verb.stdout(await shownPlan(here, verb.inputs, each));
  return EXIT.ok;
}

type Pinned = PlansHere['plans'][number] & { readonly pins: readonly Pin[] };

async function withPins(
  { env }: VerbContext,
  { host, inputs, plans }: PlansHere,
  context: RunContext,
): Promise<Pinned[]> {
  const look = await lookAtWorkspace(host);
  const machine = await hostFacts();
  const tool = await toolFacts();
  // Which policy will answer is no part of a plan, so nobody asks it.
  const sources = await policySources(inputs, env);
  const known = { host, inputs, context, sources, look, machine, tool, policyDigests: {} };
  return plans.map(({ plan: made, found }) => ({
    plan: made,
    found,
    pins: pinsFor({ ...known, plan: made, found }),
  }));
}

/** What a user declared may hold a path or an address. */
function publicPins(pinned: Pinned): Pinned {
  const redact = textRedactor([]);
  return { ...pinned, pins: pinned.pins.map((pin) => pinSchema.parse(redactValue(pin, redact))) };
}

async function shownPlan(
  { host }: PlansHere,
  inputs: Inputs,
  { plan: made, found, pins }: Pinned,
): Promise<string> {
  const pace = await earlierPace(host.workspace, made.suite);
  const surroundings = {
    target: host.target.id,
    discovery: found,
    pace,
    provisional: found.provisional === true,
    settings: presetRows(inputs),
    warnings: await planWarnings(host, made, { pace, baseline: inputs.baseline.kind, found }),
    pins,
  };
  return `${planText(made, surroundings)}\n`;
}
