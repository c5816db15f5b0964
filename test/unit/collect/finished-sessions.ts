import type { AttributedSession } from '../../../src/app/collect/attribute.ts';
import type { FinishedSession } from '../../../src/app/collect/finished-session.ts';
import { classify } from '../../../src/outcome/classify.ts';

const NOTHING = classify({
  plan: null,
  cell: null,
  evidence: { sessionId: 's', session: null, log: null, episode: { state: 'absent' } },
});

export type Ran = readonly [suite: string, taskId: number, initStateId: number];

/** A finished session on `target-a`; `ran` is what its evidence says, null when it left none. */
export function finished(
  sessionId: string,
  ran: Ran | null,
  more: Partial<FinishedSession> = {},
): FinishedSession {
  const executed =
    ran === null
      ? null
      : { benchmark: ran[0], taskId: ran[1], initStateId: ran[2], language: `task ${ran[1]}` };
  return {
    sessionId,
    target: 'target-a',
    skillruntime: 'pi05',
    prompt: ran === null ? 'do something' : `Task ${ran[1]}`,
    maxPolicyCalls: 220,
    replanEverySteps: null,
    actionChunkMode: null,
    sessionTimeoutS: 60,
    policyTimeoutS: null,
    found: { ...NOTHING, executed },
    ...more,
  };
}

export function attributed(sessionId: string, [suite, taskId, initStateId]: Ran): AttributedSession {
  return {
    ...finished(sessionId, [suite, taskId, initStateId]),
    cell: { suite, taskId, initStateId, by: 'evidence' },
  };
}
