import type { EpisodeRecord, Outcome } from '../../../src/model/episode-record.ts';
import { type Arm, PLAN_SCHEMA_ID, type Plan } from '../../../src/model/plan.ts';

export interface PlanShape {
  readonly tasks: number;
  readonly initStates: number;
  readonly repeats?: number;
  readonly arms?: readonly Arm[];
  readonly thresholds?: Partial<Plan['thresholds']>;
  readonly timeoutsAs?: Plan['timeoutsAs'];
}

/** A plan whose cells go round the tasks: every initial state of run 0, then of run 1. */
export function planOf(shape: PlanShape): Plan {
  const arms = [...(shape.arms ?? ['candidate'])];
  const repeats = shape.repeats ?? 1;
  const tasks = Array.from({ length: shape.tasks }, (_, taskId) => ({
    taskId,
    language: `do task ${taskId}`,
  }));
  const initStates = Array.from({ length: shape.initStates }, (_, i) => i);
  const cells = Array.from({ length: repeats }, (_, runIndex) =>
    initStates.flatMap((initStateId) =>
      tasks.flatMap(({ taskId }) => arms.map((arm) => ({ taskId, initStateId, runIndex, arm }))),
    ),
  ).flat();
  return {
    schema: PLAN_SCHEMA_ID,
    purpose: 'pr',
    benchmark: 'libero',
    suite: 'libero_goal',
    skillruntime: 'pi05',
    tasks,
    initStates,
    repeats,
    arms,
    order: { scheme: 'interleaved', seed: 1 },
    cells,
    limits: {
      maxSteps: 300,
      settleSteps: 10,
      maxPolicyCalls: 300,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: 1800,
      policyTimeoutS: 30,
    },
    targetConfig: {},
    retryErrors: 1,
    timeoutsAs: shape.timeoutsAs ?? 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
      ...shape.thresholds,
    },
  };
}

/** One record per planned cell; `outcome` gives each cell's outcome by its place among its arm's cells. */
export function recordsOf(
  plan: Plan,
  outcome: (place: number, arm: Arm) => Outcome,
  extra: (place: number, arm: Arm) => Partial<EpisodeRecord> = () => ({}),
): EpisodeRecord[] {
  const places = { candidate: 0, baseline: 0 };
  return plan.cells.map((cell, position) => {
    const place = places[cell.arm];
    places[cell.arm] += 1;
    const result = outcome(place, cell.arm);
    return { ...recordOf(plan, cell, position, result), ...extra(place, cell.arm) };
  });
}

function recordOf(
  plan: Plan,
  cell: Plan['cells'][number],
  position: number,
  outcome: Outcome,
): EpisodeRecord {
  const valid = outcome === 'success' || outcome === 'failure';
  return {
    benchmark: plan.benchmark,
    suite: plan.suite,
    ...cell,
    position,
    language: `do task ${cell.taskId}`,
    outcome,
    sessionId: `s${position}`,
    attempts: [],
    success: valid ? outcome === 'success' : null,
    successSource: valid ? 'episode.benchmark' : null,
    steps: outcome === 'success' ? 80 + (position % 17) : outcome === 'failure' ? 300 : null,
    episodeReturn: null,
    policyLatencyMs: null,
    policyCalls: null,
    durationMs: null,
    startedAt: null,
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    artifactDir: null,
    notes: [],
  };
}
