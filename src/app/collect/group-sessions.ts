import { PLAN_SCHEMA_ID, type Plan } from '../../plan/plan.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';
import type { AttributedSession } from './attribute.ts';

export interface SessionGroup {
  /** Made from the sessions; its cells are theirs, in its order. */
  readonly plan: Plan;
  readonly target: string;
  readonly members: readonly { readonly sessionId: string; readonly position: number }[];
  /** Sessions whose episode only their target tells. */
  readonly byTarget: readonly string[];
}

/**
 * One group per suite and skill runtime. A state that ran several times gives several runs. Pure; independent of the
 * order of the sessions.
 */
export function groupSessions(sessions: readonly AttributedSession[]): readonly SessionGroup[] {
  const groups = new Map<string, AttributedSession[]>();
  for (const session of [...sessions].sort((left, right) => compare(left.sessionId, right.sessionId))) {
    const key = JSON.stringify([session.cell.suite, session.skillruntime]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  return [...groups].sort(([left], [right]) => compare(left, right)).map(([, group]) => groupOf(group));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function groupOf(sessions: readonly AttributedSession[]): SessionGroup {
  const first = sessions[0];
  if (first === undefined) throw new Error('a group has at least one session');
  return {
    plan: planOf(first, sessions),
    target: first.target,
    members: sessions.map(({ sessionId }, position) => ({ sessionId, position })),
    byTarget: sessions.filter(({ cell }) => cell.by === 'target').map(({ sessionId }) => sessionId),
  };
}

function cellsOf(sessions: readonly AttributedSession[]): Plan['cells'] {
  const runs = new Map<string, number>();
  return sessions.map(({ cell: { taskId, initStateId } }) => {
    const key = `${taskId} ${initStateId}`;
    const runIndex = runs.get(key) ?? 0;
    runs.set(key, runIndex + 1);
    return { taskId, initStateId, runIndex, arm: 'candidate' as const };
  });
}

/** The simulator's text of each task; where none recorded it, the prompt of a session. */
function languagesOf(sessions: readonly AttributedSession[]): ReadonlyMap<number, string> {
  const languages = new Map<number, string>();
  for (const { cell, found } of sessions) {
    const language = found.executed?.language ?? null;
    if (language !== null && !languages.has(cell.taskId)) languages.set(cell.taskId, language);
  }
  for (const { cell, prompt } of sessions) {
    if (!languages.has(cell.taskId)) languages.set(cell.taskId, prompt);
  }
  return languages;
}

function planOf(first: AttributedSession, sessions: readonly AttributedSession[]): Plan {
  const { suite } = first.cell;
  const cells = cellsOf(sessions);
  const most = (pick: (session: AttributedSession) => number | null): number =>
    Math.max(1, ...sessions.map((session) => pick(session) ?? 1));
  return {
    schema: PLAN_SCHEMA_ID,
    purpose: 'adhoc',
    benchmark: benchmarkOf(suite),
    suite,
    skillruntime: first.skillruntime,
    tasks: [...languagesOf(sessions)]
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
