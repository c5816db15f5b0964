import * as fs from 'node:fs/promises';
import type { LedgerEvent } from '../lane/ledger.ts';
import type { JournalEvent } from '../model/journal-events.ts';
import { runtimeArtifacts } from '../workspace/id-path.ts';
import type { Removal, RemovalResult, SessionsEdited } from './documents.ts';
import { cellAt, entryFor, freshId, type NewSession } from './entries.ts';
import { type Execution, record } from './execution.ts';
import { abandoned, type QueueSnapshot, standing } from './snapshot.ts';
import { addCellTargets, removableCellTargets, removeIdleCellTargets } from './standing-targets.ts';

/** Longest quiet wait for the lock before the log says so. */
export const LOCK_REPORT_MS = 10_000;

/**
 * One change of the queue: puts in the sessions of `admissions`, takes out archived ones. Each step is durable before
 * the next: ledger and intent, contracts, TARGETS.md, SESSIONS.md, `queued` and `removed`. Does nothing when there is
 * nothing to do.
 */
export async function turn(
  execution: Execution,
  snapshot: QueueSnapshot,
  admissions: readonly number[],
): Promise<void> {
  const removals = removalsOf(execution, snapshot);
  if (admissions.length === 0 && removals.length === 0) {
    await removeIdleCellTargets(execution, snapshot);
    return;
  }
  const fresh: NewSession[] = [];
  for (const position of admissions) fresh.push(await newSession(execution, snapshot, position));
  await announce(execution, fresh);
  const idle = removableCellTargets(execution, snapshot, new Set(fresh.map(({ target }) => target.id)));
  await addCellTargets(
    execution,
    fresh.map(({ target }) => target),
    idle,
  );
  const edited = await editQueue(execution, fresh, removals);
  // Null: not now (stopping, or the document is unreadable). The intents stay, and the next look discards them.
  if (edited !== null) await note(execution, fresh, edited);
}

async function newSession(
  execution: Execution,
  snapshot: QueueSnapshot,
  position: number,
): Promise<NewSession> {
  const { input, memory, targets } = execution;
  const used = memory.sessionsOf(position).map(({ sessionAttempt }) => sessionAttempt);
  const id = await freshId(input, { position, used }, async (candidate) => {
    return snapshot.byId.has(candidate) || (await exists(runtimeArtifacts(input.workspace, candidate)));
  });
  const target = targets.get(position);
  if (target === undefined) throw new RangeError(`no cell target for position ${position}`);
  const cell = cellAt(input, position);
  const relay = (await input.recorder?.listen(id.sessionId, cell.arm)) ?? null;
  return { ...id, position, cell, target, relay };
}

async function exists(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}

/** Nothing of ours may touch the workspace before it is written down that it is ours. */
async function announce(execution: Execution, fresh: readonly NewSession[]): Promise<void> {
  const { runId } = execution.input;
  const owned = fresh.map(({ sessionId, target }): LedgerEvent => {
    return { type: 'own', runId, sessionId, cellTarget: target.id, contract: target.contractRef };
  });
  const intents = fresh.map(({ sessionId, sessionAttempt, position, cell, target, relay }): JournalEvent => {
    const place = { position, sessionAttempt, cellTarget: target.id, ...(relay === null ? {} : { relay }) };
    return { type: 'intent', sessionId, ...place, cell };
  });
  await Promise.all([execution.ledger.append(...owned), record(execution, ...intents)]);
}

/** Archived sessions whose entry may go, and ids that came back after they were archived. */
function removalsOf(execution: Execution, snapshot: QueueSnapshot): Removal[] {
  const { memory, archivedEntries, changedEntries } = execution;
  const dead = new Set(abandoned(snapshot));
  const removals: Removal[] = [];
  for (const session of memory.sessions.values()) {
    const id = session.sessionId;
    const entry = snapshot.byId.get(id);
    if (entry === undefined || (session.phase !== 'archived' && session.phase !== 'closed')) continue;
    const atRest = standing(entry.status) !== 'active';
    if (session.phase === 'closed') {
      if (atRest || dead.has(entry)) removals.push({ id, when: 'idle' });
    } else if (!atRest || changedEntries.has(id) || !archivedEntries.has(id)) {
      removals.push({ id, when: 'idle' });
    } else {
      removals.push({ id, when: 'archived', archived: archivedEntries.get(id) });
    }
  }
  return removals;
}

async function editQueue(
  execution: Execution,
  fresh: readonly NewSession[],
  removals: readonly Removal[],
): Promise<SessionsEdited | null> {
  const { documents, input, meters } = execution;
  const append = fresh.map(({ sessionId, position, target, relay }) =>
    entryFor(input, { sessionId, position, cellTarget: target.id, relay }),
  );
  const edited = await documents.editSessions(
    { append, remove: removals },
    {
      timeoutMs: null,
      signal: input.signal,
      slowestTransitionMs: meters.slowestTransitionMs,
      onWait: (reason) => input.log.info(`Waiting to change SESSIONS.md: ${reason}.`),
    },
  );
  meters.lockMs += edited?.waitedMs ?? 0;
  if (fresh.length > 0) meters.lastMoveMs = input.clock.now();
  return edited;
}

/** All of it with one sync each: the order among these events does not matter. */
async function note(
  execution: Execution,
  fresh: readonly NewSession[],
  edited: SessionsEdited,
): Promise<void> {
  const notes = [...edited.removals].map(([id, result]) => removalNotes(execution, id, result));
  await record(
    execution,
    ...fresh.map(({ sessionId }) => ({ type: 'queued', sessionId }) as const),
    ...notes.flatMap(({ events }) => events),
  );
  await execution.ledger.append(...notes.flatMap(({ ledger }) => ledger));
}

interface Notes {
  readonly events: readonly JournalEvent[];
  readonly ledger: readonly LedgerEvent[];
}

/** What to write down about one removal; see `RemovalResult`. */
function removalNotes(execution: Execution, sessionId: string, result: RemovalResult): Notes {
  const { input, memory, changedEntries, returned, archivedEntries } = execution;
  switch (result) {
    case 'removed':
    case 'absent':
      archivedEntries.delete(sessionId);
      return {
        events: [{ type: 'removed', sessionId }],
        ledger: [{ type: 'released', runId: input.runId, sessionId, how: 'removed' }],
      };
    case 'unequal': {
      changedEntries.add(sessionId);
      const reason = 'the entry was changed after it was archived; the archive was kept';
      return { events: [{ type: 'conflict', sessionId, reason }], ledger: [] };
    }
    case 'busy': {
      returned.add(sessionId);
      if (memory.sessions.get(sessionId)?.phase === 'closed') return { events: [], ledger: [] };
      const reason = 'at work again after it was archived; its new result does not count';
      return { events: [{ type: 'discarded', sessionId, reason }], ledger: [] };
    }
  }
}
