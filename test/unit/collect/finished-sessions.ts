import type { AttributedSession, KnownTarget } from '../../../src/app/collect/attribute.ts';
import type { FinishedSession } from '../../../src/app/collect/finished-session.ts';
import { classify } from '../../../src/outcome/classify.ts';

const NOTHING = classify({
  verifier: null,
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
    goal: 'nightly',
    endedAt: '2026-11-29T13:00:00.000000Z',
    policyEndpoint: 'openpi://10.0.0.1:8000',
    targetEndpoint: null,
    policyId: null,
    block: null,
    replanOf: null,
    execution: { max_steps: 220, replan_every: 8 },
    verification: 'off',
    safety: null,
    sessionTimeoutS: 60,
    policyTimeoutS: null,
    found: { ...NOTHING, executed },
    ...more,
  };
}

/** A simulation target at `targetws://sim:9002` that is configured for `cell`. */
export function knownTarget(cell: Ran | null, more: Partial<KnownTarget> = {}): KnownTarget {
  return {
    isSimulation: true,
    cell: cell === null ? null : { suite: cell[0], taskId: cell[1], initStateId: cell[2] },
    suite: cell?.[0] ?? null,
    endpoint: 'targetws://sim:9002',
    config: { max_steps: 280, num_steps_wait: 10 },
    family: 'libero',
    ...more,
  };
}

export function attributed(
  sessionId: string,
  [suite, taskId, initStateId]: Ran,
  more: Partial<FinishedSession> = {},
): AttributedSession {
  return {
    ...finished(sessionId, [suite, taskId, initStateId], more),
    cell: { suite, taskId, initStateId, by: 'evidence' },
  };
}
