import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { planDifferences } from '../../inputs/plan-differences.ts';
import { isHeldOutPlan, type Plan } from '../../model/plan.ts';
import { MAX_PLAN_FILE_BYTES, plansIn } from '../../plan/plan-file.ts';

/**
 * Holds the plan that is about to run against the one in the file that the user names; null: there is none to hold it
 * against. Nothing is queued before.
 * @throws RbError RB338 (exit 2) for a file without a plan of this suite, RB339 (exit 3) for another plan, RB2xx when
 * the file cannot be read.
 */
export async function refuseOtherPlan(file: string | null, plan: Plan): Promise<void> {
  // A held-out plan is in no file; the commitment in the plan beside it says what it is.
  if (file === null || isHeldOutPlan(plan)) return;
  const planned = planOf(await readPlans(file), plan.suite, file);
  const differences = planDifferences(planned, plan);
  if (differences.length === 0) return;
  throw new RbError(
    EXIT.refused,
    differences.map(
      (message): Problem => ({
        code: 'RB339',
        where: `plan-file ${file}`,
        message: `${message}.`,
        fix: 'Give the inputs the plan was made with, or plan anew with `rollout-bench plan --out <file>`.',
        consequence: 'What would be run is not what was planned.',
        severity: 'fatal',
      }),
    ),
  );
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

async function readPlans(file: string): Promise<readonly Plan[]> {
  const plans = plansIn(await readTextCapped(file, MAX_PLAN_FILE_BYTES));
  if (typeof plans === 'string') throw unusable(file, `${plans}.`);
  return plans;
}

function planOf(plans: readonly Plan[], suite: string, file: string): Plan {
  const planned = plans.find((each) => each.suite === suite);
  if (planned === undefined) throw unusable(file, `it holds no plan of ${suite}.`);
  return planned;
}

function unusable(file: string, message: string): RbError {
  const fix = 'Name a file that `rollout-bench plan --out <file>` wrote, unchanged.';
  return new RbError(EXIT.usage, [
    { code: 'RB338', where: `plan-file ${file}`, message, fix, severity: 'fatal' },
  ]);
}
