import type { SessionsEdited } from './documents.ts';
import { type Execution, record } from './execution.ts';
import { isLive } from './run-memory.ts';

/** One try for the lock when a run is interrupted; the runner kills the process a few seconds later. */
const INTERRUPTED_LOCK_MS = 2_000;
/** Otherwise there is time for one slow transition of the watchdog. */
const LOCK_MS = 60_000;

/**
 * Takes back our pending entries before the watchdog claims them. Claimed and running ones are never touched. Returns
 * false when the lock was not to be had: the entries stay, and the ledger knows them.
 */
export async function withdrawPending(execution: Execution, reason: string): Promise<boolean> {
  const { documents, input, memory, meters } = execution;
  const ids = memory
    .open()
    .filter(isLive)
    .map(({ sessionId }) => sessionId);
  if (ids.length === 0) return true;
  const interrupted = input.signal.aborted;
  const edited = await documents.editSessions(
    { append: [], remove: ids.map((id) => ({ id, when: 'pending' })) },
    {
      timeoutMs: interrupted ? INTERRUPTED_LOCK_MS : LOCK_MS,
      slowestTransitionMs: meters.slowestTransitionMs,
      onWait: (why) => input.log.info(`Waiting to take our pending sessions back: ${why}.`),
    },
  );
  if (edited === null) return false;
  await noteWithdrawn(execution, edited, reason);
  return true;
}

async function noteWithdrawn(execution: Execution, edited: SessionsEdited, reason: string): Promise<void> {
  const { input, ledger, memory, standingTargets } = execution;
  const { bytes: documentBytes } = edited;
  for (const [sessionId, result] of edited.removals) {
    if (result === 'absent' && memory.sessions.get(sessionId)?.phase === 'intent') {
      await record(execution, { type: 'discarded', sessionId, reason: 'announced, but never queued' });
      await ledger.append({ type: 'released', runId: input.runId, sessionId, how: 'never_queued' });
    }
    if (result !== 'removed') continue;
    await record(execution, { type: 'cancelled', sessionId, reason });
    await ledger.append({ type: 'withdrawn', runId: input.runId, sessionId, documentBytes });
    const standing = standingTargets.get(memory.sessions.get(sessionId)?.cellTarget ?? '');
    if (standing !== undefined) standing.withdrawn = { atMs: input.clock.now(), documentBytes };
  }
}
