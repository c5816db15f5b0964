import { PLAN_SCHEMA_ID, type Plan } from '../../../src/model/plan.ts';

/** A small valid plan; tests override what they are about. */
export function makePlan(overrides: Partial<Plan> = {}): Plan {
  return {
    schema: PLAN_SCHEMA_ID,
    purpose: 'pr',
    benchmark: 'libero',
    suite: 'libero_spatial',
    skillruntime: 'pi05_libero_remote',
    tasks: [{ taskId: 0, language: 'a task' }],
    initStates: [0],
    repeats: 1,
    arms: ['candidate'],
    order: { scheme: 'interleaved', seed: 7 },
    cells: [{ taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' }],
    limits: {
      maxSteps: 280,
      settleSteps: 10,
      maxPolicyCalls: 280,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: 1800,
      policyTimeoutS: 30,
    },
    targetConfig: { camera_height: 256, camera_width: 256 },
    retryErrors: 1,
    timeoutsAs: 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
    ...overrides,
  };
}
