import type { InputName } from './input-table.ts';

/** A field of a plan as its user gives it. */
interface FieldInput {
  readonly input: InputName;
  /** What the input wants after the number, as in `60s`. */
  readonly unit?: string;
}

/** Fields by their path in the plan, where an input decides them. */
const FIELD_INPUTS: Readonly<Record<string, FieldInput>> = {
  purpose: { input: 'purpose' },
  suite: { input: 'suite' },
  skillruntime: { input: 'skillruntime' },
  tasks: { input: 'tasks' },
  initStates: { input: 'init-states' },
  repeats: { input: 'repeats' },
  'order.seed': { input: 'seed' },
  'limits.maxSteps': { input: 'max-steps' },
  'limits.maxPolicyCalls': { input: 'max-policy-calls' },
  'limits.replanEverySteps': { input: 'replan-every-steps' },
  'limits.actionChunkMode': { input: 'action-chunk-mode' },
  'limits.sessionTimeoutS': { input: 'session-timeout', unit: 's' },
  'limits.policyTimeoutS': { input: 'policy-timeout', unit: 's' },
  retryErrors: { input: 'retry-errors' },
  timeoutsAs: { input: 'timeouts-as' },
  'thresholds.minSuccessRate': { input: 'min-success-rate' },
  'thresholds.minTaskSuccessRate': { input: 'min-task-success-rate' },
  'thresholds.thresholdMode': { input: 'threshold-mode' },
  'thresholds.maxRegression': { input: 'max-regression' },
  'thresholds.onInconclusive': { input: 'on-inconclusive' },
  'thresholds.maxRegressionSinceAnchor': { input: 'max-regression-since-anchor' },
  'thresholds.allowDroppedTasks': { input: 'allow-dropped-tasks' },
  earlyStop: { input: 'early-stop' },
  aaTest: { input: 'aa-test' },
  evidence: { input: 'evidence' },
  'caps.maxSessions': { input: 'max-sessions' },
  'caps.maxWallTimeS': { input: 'max-wall-time', unit: 's' },
  'caps.maxArtifactBytes': { input: 'max-artifact-size' },
};

/** The input that decides a field of a plan, with the unit of its numbers; null where none does. Pure. */
export function fieldInput(path: string): FieldInput | null {
  return Object.hasOwn(FIELD_INPUTS, path) ? (FIELD_INPUTS[path] ?? null) : null;
}
