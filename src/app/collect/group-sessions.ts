import type { Classified } from '../../outcome/classify.ts';
import { PLAN_SCHEMA_ID, type Plan } from '../../plan/plan.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';

/** A finished session that others queued. Its cell is what the evidence says ran; nothing was planned. */
export interface FinishedSession {
  readonly sessionId: string;
  /** Id of its target, without scheme. */
  readonly target: string;
  readonly skillruntime: string;
  readonly prompt: string;
  /** `execution.…` and `timeouts.…` of the entry; null where it has none. */
  readonly maxPolicyCalls: number | null;
  readonly replanEverySteps: number | null;
  readonly actionChunkMode: string | null;
  readonly sessionTimeoutS: number | null;
  readonly policyTimeoutS: number | null;
  readonly found: Classified;
}

export interface SessionGroup {
  /** Made from the evidence; its cells are the sessions, in its order. */
  readonly plan: Plan;
  readonly target: string;
  readonly members: readonly { readonly sessionId: string; readonly position: number }[];
  /** How tasks were told apart. */
  readonly tasksBy: 'evidence' | 'prompt';
}

interface Placed {
  readonly session: FinishedSession;
  readonly taskId: number;
  readonly initStateId: number;
  readonly language: string;
}

/**
 * One group per suite and skill runtime. Sessions whose evidence names task and initial state form suites of these;
 * all others (faults, targets that record no task) are grouped by target, with their prompts as tasks. A state that
 * ran several times gives several runs. Pure; independent of the order of the sessions.
 */
export function groupSessions(sessions: readonly FinishedSession[]): readonly SessionGroup[] {
  const groups = new Map<string, FinishedSession[]>();
  for (const session of [...sessions].sort((left, right) => compare(left.sessionId, right.sessionId))) {
    const key = JSON.stringify([suiteOf(session), session.skillruntime, hasCell(session)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  return [...groups].sort(([left], [right]) => compare(left, right)).map(([, group]) => groupOf(group));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function hasCell({ found: { executed } }: FinishedSession): boolean {
  return (
    executed !== null &&
    executed.benchmark !== null &&
    executed.taskId !== null &&
    executed.taskId >= 0 &&
    executed.initStateId !== null &&
    executed.initStateId >= 0
  );
}

function suiteOf(session: FinishedSession): string {
  return hasCell(session) ? (session.found.executed?.benchmark ?? session.target) : session.target;
}

function groupOf(sessions: readonly FinishedSession[]): SessionGroup {
  const first = sessions[0];
  if (first === undefined) throw new Error('a group has at least one session');
  const byEvidence = hasCell(first);
  const placed = byEvidence ? sessions.map(placeByEvidence) : placeByPrompt(sessions);
  const cells = cellsOf(placed);
  const suite = suiteOf(first);
  return {
    plan: planOf({ suite, skillruntime: first.skillruntime, placed, cells, sessions }),
    target: first.target,
    members: sessions.map(({ sessionId }, position) => ({ sessionId, position })),
    tasksBy: byEvidence ? 'evidence' : 'prompt',
  };
}

function placeByEvidence(session: FinishedSession): Placed {
  const { executed } = session.found;
  return {
    session,
    taskId: executed?.taskId ?? 0,
    initStateId: executed?.initStateId ?? 0,
    language: executed?.language ?? session.prompt,
  };
}

function placeByPrompt(sessions: readonly FinishedSession[]): Placed[] {
  const prompts = [...new Set(sessions.map((session) => session.prompt))].sort(compare);
  return sessions.map((session) => ({
    session,
    taskId: prompts.indexOf(session.prompt),
    initStateId: 0,
    language: session.prompt,
  }));
}

function cellsOf(placed: readonly Placed[]): Plan['cells'] {
  const runs = new Map<string, number>();
  return placed.map(({ taskId, initStateId }) => {
    const key = `${taskId} ${initStateId}`;
    const runIndex = runs.get(key) ?? 0;
    runs.set(key, runIndex + 1);
    return { taskId, initStateId, runIndex, arm: 'candidate' as const };
  });
}

interface PlanParts {
  readonly suite: string;
  readonly skillruntime: string;
  readonly placed: readonly Placed[];
  readonly cells: Plan['cells'];
  readonly sessions: readonly FinishedSession[];
}

function planOf({ suite, skillruntime, placed, cells, sessions }: PlanParts): Plan {
  const languages = new Map<number, string>();
  for (const { taskId, language } of placed) if (!languages.has(taskId)) languages.set(taskId, language);
  const most = (pick: (session: FinishedSession) => number | null): number =>
    Math.max(1, ...sessions.map((session) => pick(session) ?? 1));
  return {
    schema: PLAN_SCHEMA_ID,
    purpose: 'adhoc',
    benchmark: benchmarkOf(suite),
    suite,
    skillruntime,
    tasks: [...languages]
      .sort(([left], [right]) => left - right)
      .map(([taskId, language]) => ({ taskId, language })),
    initStates: [...new Set(cells.map((cell) => cell.initStateId))].sort((left, right) => left - right),
    repeats: 1 + Math.max(...cells.map((cell) => cell.runIndex)),
    arms: ['candidate'],
    order: { scheme: 'interleaved', seed: 0 },
    cells,
    limits: {
      maxSteps: null,
      settleSteps: null,
      maxPolicyCalls: most((session) => session.maxPolicyCalls),
      replanEverySteps: most((session) => session.replanEverySteps),
      actionChunkMode:
        sessions.find((session) => session.actionChunkMode !== null)?.actionChunkMode ?? 'unknown',
      sessionTimeoutS: most((session) => session.sessionTimeoutS),
      policyTimeoutS: most((session) => session.policyTimeoutS),
    },
    targetConfig: {},
    retryErrors: 0,
    timeoutsAs: 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
  };
}
