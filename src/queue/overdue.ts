import type { Execution } from './execution.ts';
import type { View } from './look.ts';
import type { SessionMemory } from './run-memory.ts';
import { standing } from './snapshot.ts';

/** A session of ours that the watchdog should have ended: running for longer than its limit and `graceMs`. */
export function overdueSession(execution: Execution, view: View, graceMs: number): SessionMemory | null {
  const { input, memory } = execution;
  const limit = input.settings.sessionTimeoutMs + graceMs;
  const late = memory.open().find((session) => {
    const entry = view.snapshot.byId.get(session.sessionId);
    if (session.phase !== 'running' || entry === undefined || standing(entry.status) === 'terminal')
      return false;
    const since = startMs(session);
    return since !== null && input.clock.now() - since > limit;
  });
  return late ?? null;
}

function startMs(session: SessionMemory): number | null {
  const stamp = session.runningStamp === null ? Number.NaN : Date.parse(session.runningStamp);
  return Number.isFinite(stamp) ? stamp : null;
}
