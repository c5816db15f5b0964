import * as path from 'node:path';
import { WhyNot } from '../../base/why-not.ts';
import { EXIT, errorOf, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { commandLine } from '../../inputs/command-line.ts';
import { planDifferences } from '../../inputs/plan-differences.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { isHeldOutPlan } from '../../model/plan.ts';
import { type PinDifference, pinDifferences } from '../../plan/pinned-fields.ts';
import { MAX_PLAN_FILE_BYTES, type PlanWithPins, pinnedPlansIn } from '../../plan/plan-file.ts';
import { type Observed, observedPins } from './observed-pins.ts';

/**
 * Holds the plan that is about to run, and what is observed, against the plan in the file that the user names and its
 * pins; without a file there is nothing to hold it against. Nothing is queued before.
 * @returns what differs and is accepted by `accept-pins`, in words
 * @throws RbError RB338 (exit 2) for a file without a plan of this suite, RB339 and RB434 (exit 3) for another plan or
 * other pins, RB2xx when the file cannot be read.
 */
export async function refuseOtherPlan(observed: Observed): Promise<readonly string[]> {
  const { plan, inputs } = observed;
  const { planFile: file, acceptPins } = inputs;
  // A held-out plan is in no file; the commitment in the plan beside it says what it is.
  if (file === null || isHeldOutPlan(plan)) return [];
  const planned = planOf(await readPlans(file), plan.suite, file);
  const where = `plan-file ${file}`;
  const anew = planCommand(inputs, file);
  const problems = planDifferences(planned.plan, plan).map(
    (message): Problem =>
      problemOf('RB339', {
        where,
        message: `${message}.`,
        fix: `Give the inputs the plan was made with, or plan anew with ${anew}.`,
        consequence: 'What would be run is not what was planned.',
      }),
  );
  const pins = pinDifferences(planned.pins, await observedPins(observed));
  // Another plan has another fingerprint.
  const differing = problems.length === 0 ? pins : pins.filter(({ field }) => field !== 'fingerprint');
  const refused = differing.filter(({ field }) => acceptPins?.includes(field) !== true);
  problems.push(...refused.map((each) => otherPin(where, each, anew)));
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  return pins.map(({ field, text }) => `${where}: ${text}; accepted by accept-pins: ${field}.`);
}

/** Beside the old plan, which is never written over. */
function planCommand(inputs: Inputs, file: string): string {
  const absolute = (each: string): string => path.resolve(each);
  const options = { out: `${absolute(file)}.new` };
  return `\`${commandLine({ verb: 'plan', inputs, options, absolute })}\``;
}

function otherPin(where: string, { field, text }: PinDifference, anew: string): Problem {
  return problemOf('RB434', {
    where,
    message: `${text}.`,
    fix: `Put back what the plan was made with, plan anew with ${anew}, or accept it with accept-pins: ${field}.`,
    consequence: 'What would be run is not what was planned.',
  });
}

/**
 * A file that cannot be used is told before the host is taken: asking the target for its tasks may take a session, and
 * measuring the first suites hours.
 * @throws RbError RB338 (exit 2) for a file without a plan of each suite, RB2xx when it cannot be read.
 */
export async function requirePlanFile(file: string | null, suites: readonly string[]): Promise<void> {
  if (file === null) return;
  const plans = await readPlans(file);
  for (const suite of suites) planOf(plans, suite, file);
}

async function readPlans(file: string): Promise<readonly PlanWithPins[]> {
  const plans = pinnedPlansIn(await readTextCapped(file, MAX_PLAN_FILE_BYTES));
  if (plans instanceof WhyNot) throw unusable(file, `${plans.why}.`);
  return plans;
}

function planOf(plans: readonly PlanWithPins[], suite: string, file: string): PlanWithPins {
  const planned = plans.find(({ plan }) => plan.suite === suite);
  if (planned === undefined) throw unusable(file, `it holds no plan of ${suite}.`);
  return planned;
}

function unusable(file: string, message: string): RbError {
  const fix = 'Name a file that `rollout-bench plan --out <file>` wrote, unchanged.';
  return errorOf('RB338', { where: `plan-file ${file}`, message, fix });
}
