import { type Fence, raiseFence } from '../lane/fence.ts';
import { type Execution, record } from './execution.ts';
import type { Halt } from './halt.ts';
import type { View } from './look.ts';
import type { QueueEntry } from './snapshot.ts';
import { momentOf, stuckSession, stuckText } from './stuck.ts';

/** Fences the host over a session of a run; gives what is known of the session. The lane must be held. */
export async function fenceOver(
  workspace: string,
  stuck: QueueEntry,
  { runId, nowMs }: { readonly runId: string; readonly nowMs: number },
): Promise<Pick<Fence, 'sessionId' | 'status' | 'since' | 'reason'>> {
  const { id: sessionId, status, updatedAt: since } = stuck;
  const known = { sessionId, status, since, reason: stuckText(stuck) };
  await raiseFence(workspace, { at: new Date(nowMs).toISOString(), runId, ...known });
  return known;
}

/**
 * Before an incomplete run ends: fences the host when the outcome of one of our sessions is unknown. Returns the halt
 * with that in its reason. An interrupted run never does: its session may be running well.
 */
export async function considerFence(execution: Execution, view: View, halt: Halt): Promise<Halt> {
  const { input, memory } = execution;
  const { snapshot } = view;
  if (halt.end !== 'incomplete' || snapshot.fault !== null) return halt;
  const nowMs = input.clock.now();
  const moment = await momentOf(input.workspace, snapshot, nowMs);
  const stuck = stuckSession(new Set(memory.sessions.keys()), moment, input.settings.sessionTimeoutMs);
  if (stuck === null) return halt;
  const known = await fenceOver(input.workspace, stuck, { runId: input.runId, nowMs });
  await record(execution, { type: 'fenced', ...known });
  return {
    ...halt,
    reason: `${halt.reason}; the outcome of ${stuck.id} is unknown, so the host is fenced`,
    cure: `Restart the watchdog and clear the fence (\`rollout-bench fence\`); then start it again with the same inputs and resume (--resume) ${input.runId}.`,
  };
}
