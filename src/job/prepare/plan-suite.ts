import { errorOf, type RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Arm, HeldOutClaim, Plan } from '../../model/plan.ts';
import { type ActionContract, scoreConfig, stepLimits, type TargetConfig } from '../../plan/cell-config.ts';
import type { PlannedTask } from '../../plan/discovery.ts';
import { makePlan, type PlanRequest } from '../../plan/make-plan.ts';
import { benchmarkOf, KNOWN_SUITES } from '../../plan/suite-defaults.ts';

/**
 * What a session says of chunks. No runtime acts on it: chunks are executed whole. Plans keep it, since sessions have it
 * and since digests of plans must stay what they were.
 */
const CHUNKING = { replanEverySteps: 5, actionChunkMode: 'chunk_buffer' } as const;

export interface SuiteRequest {
  readonly suite: string;
  readonly purpose: Plan['purpose'];
  readonly skillruntime: string;
  readonly tasks: readonly PlannedTask[];
  readonly arms: readonly Arm[];
  /** As `PlanRequest`. */
  readonly sequential?: PlanRequest['sequential'];
  readonly inputs: Inputs;
  /** Config of the user's target. */
  readonly base: TargetConfig;
  readonly actions: ActionContract | null;
  /** Digest of the recorded baseline that an early stop compares with; left out: none. */
  readonly stopBaseline?: string | undefined;
  /** What the plan says of held-out cells; left out: none. */
  readonly heldOut?: HeldOutClaim | undefined;
  /** As `PlanRequest`. */
  readonly only?: PlanRequest['only'];
}

/**
 * The plan of one suite from the inputs. Pure.
 * @throws RbError RB334 when nobody says how many steps an episode has, RB330 to RB332 from the plan itself.
 */
export function planSuite(request: SuiteRequest): Plan {
  const { suite, inputs, base } = request;
  const steps = stepLimits(suite, base, { maxSteps: inputs.maxSteps });
  const maxPolicyCalls = inputs.maxPolicyCalls ?? steps.maxSteps;
  if (maxPolicyCalls === null) throw unknownSteps(suite);
  return makePlan({
    purpose: request.purpose,
    benchmark: benchmarkOf(suite),
    suite,
    skillruntime: request.skillruntime,
    tasks: request.tasks,
    initStates: inputs.initStates,
    repeats: inputs.repeats,
    arms: request.arms,
    sequential: request.sequential,
    seed: inputs.seed,
    limits: {
      maxSteps: steps.maxSteps,
      settleSteps: steps.settleSteps,
      maxPolicyCalls,
      ...CHUNKING,
      sessionTimeoutS: inputs.sessionTimeoutS,
      policyTimeoutS: inputs.policyTimeoutS,
    },
    targetConfig: scoreConfig(base, suite, request.actions),
    retryErrors: inputs.retryErrors,
    timeoutsAs: inputs.timeoutsAs,
    earlyStop: inputs.earlyStop,
    stopBaseline: inputs.earlyStop ? request.stopBaseline : undefined,
    aaTest: inputs.baseline.kind === 'same' && request.arms.includes('baseline'),
    evidence: inputs.evidence === 'session' ? 'session' : undefined,
    caps: inputs.caps ?? undefined,
    heldOut: request.heldOut,
    only: request.only,
    thresholds: {
      minSuccessRate: inputs.minSuccessRate,
      minTaskSuccessRate: inputs.minTaskSuccessRate,
      thresholdMode: inputs.thresholdMode,
      maxRegression: inputs.maxRegression,
      onInconclusive: onInconclusive(inputs.onInconclusive, request.purpose),
      ...(inputs.maxRegressionSinceAnchor === null
        ? {}
        : { maxRegressionSinceAnchor: inputs.maxRegressionSinceAnchor }),
      ...(inputs.allowDroppedTasks ? { allowDroppedTasks: true } : {}),
    },
  });
}

/** A release needs PASS; everything else passes with a warning unless the user says otherwise. */
function onInconclusive(asked: Inputs['onInconclusive'], purpose: Plan['purpose']): 'pass' | 'fail' {
  if (asked !== 'auto') return asked;
  return purpose === 'release' ? 'fail' : 'pass';
}

function unknownSteps(suite: string): RbError {
  return errorOf('RB334', {
    where: `suite ${suite}`,
    message: 'nobody says after how many steps an episode has failed.',
    value: suite,
    fix: `Check the name; limits are known for ${KNOWN_SUITES.join(', ')}. For another suite give max-steps, or set max_steps in the target's config.`,
  });
}
