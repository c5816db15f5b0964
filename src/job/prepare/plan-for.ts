import { EXIT, failure, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Arm, Plan } from '../../model/plan.ts';
import { chooseSuites } from '../../plan/choose-suites.ts';
import type { TargetFacts } from '../../plan/pairs.ts';
import { purposeOf, type RunContext } from '../../platform/run-context.ts';
import { isMargin } from '../../verdict/margin.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { planSuite, type SuiteRequest } from './plan-suite.ts';

export interface PlanForRequest {
  readonly host: OpenHost;
  readonly inputs: Inputs;
  readonly suite: string;
  readonly found: FoundTasks;
  readonly run: RunContext;
  /** Digest of the recorded baseline at hand, null without one. */
  readonly stopBaseline: string | null;
  /** As `SuiteRequest`. */
  readonly heldOut?: SuiteRequest['heldOut'];
  readonly only?: SuiteRequest['only'];
}

/** One arm, or two when a baseline policy is given. Pure. */
function armsOf({ baselineEndpoint, baselineCommand }: Inputs): readonly Arm[] {
  return baselineEndpoint === null && baselineCommand === null ? ['candidate'] : ['candidate', 'baseline'];
}

/** Only policies that the run starts itself can take turns. Pure. */
function takesTurns({ arms, policyCommand, baselineCommand }: Inputs): boolean {
  return arms === 'sequential' && policyCommand !== null && baselineCommand !== null;
}

/**
 * The plan of a suite on an opened host.
 * @throws RbError as `planSuite`, and RB365, RB602, RB605 (exit 2) for rules that this plan cannot meet.
 */
export async function planFor(request: PlanForRequest): Promise<Plan> {
  const { host, inputs, suite, found, run, stopBaseline } = request;
  const plan = planSuite({
    suite,
    purpose: inputs.purpose === 'auto' ? purposeOf(run) : inputs.purpose,
    skillruntime: host.skillruntime,
    tasks: found.tasks,
    arms: armsOf(inputs),
    sequential: takesTurns(inputs),
    inputs,
    base: host.target.config,
    actions: found.description,
    stopBaseline: stopBaseline ?? undefined,
    heldOut: request.heldOut,
    only: request.only,
  });
  if (hasRules(plan)) {
    const { requireSoundPlan } = await import('./early-stop-rules.ts');
    requireSoundPlan(plan, inputs.shard?.count ?? 1);
  }
  return plan;
}

/** Without floors, an early stop and a release there is nothing that a plan could miss, and no statistics are loaded. */
function hasRules({ thresholds, earlyStop, purpose }: Plan): boolean {
  const { minSuccessRate, minTaskSuccessRate, maxRegression } = thresholds;
  const floors = minSuccessRate !== null || minTaskSuccessRate !== null;
  return floors || earlyStop === true || purpose === 'release' || !isMargin(maxRegression);
}

/** @throws RbError RB313, or RB420 for a resume of several suites: a run id belongs to one. */
export function suitesOf(inputs: Inputs, host: OpenHost): readonly string[] {
  const { suites, problems } = chooseSuites(inputs.suites, chosenTarget(host));
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  if (inputs.resume === null || suites.length === 1) return suites;
  throw failure(EXIT.usage, {
    code: 'RB420',
    where: 'input suite',
    message: 'a run id belongs to one suite, but several are asked for.',
    value: suites.join(', '),
    fix: 'Name the one suite of the run that is resumed.',
  });
}

/** The facts of the target that was chosen. */
export function chosenTarget(host: OpenHost): TargetFacts {
  const target = host.targets.find(({ id }) => id === host.target.id);
  if (target === undefined) throw new Error('the chosen target is not among the targets');
  return target;
}
