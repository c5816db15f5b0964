import type { PlanRequest } from '../../../src/plan/make-plan.ts';

/** A request for ten tasks and ten initial states, with whatever the test changes. */
export function planRequest(change: Partial<PlanRequest> = {}): PlanRequest {
  return {
    purpose: 'pr',
    benchmark: 'libero',
    suite: 'libero_spatial',
    skillruntime: 'pi05_libero_remote',
    tasks: Array.from({ length: 10 }, (_, taskId) => ({ taskId, language: `do task ${taskId}` })),
    initStates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    repeats: 1,
    arms: ['candidate'],
    seed: 0,
    limits: {
      maxSteps: 220,
      settleSteps: 10,
      maxPolicyCalls: 220,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: 1800,
      policyTimeoutS: 60,
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
    ...change,
  };
}
