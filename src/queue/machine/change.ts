import type { LedgerEvent } from '../../lane/ledger.ts';
import type { JournalEvent } from '../../model/journal-events.ts';
import { admissionsWithin } from './caps.ts';
import { type CellToQueue, type Command, journal, ledger } from './commands.ts';
import type { Removal, RemovalResult, SessionsEdited } from './edits.ts';
import { cellAt, entryFor, type NewSession } from './entries.ts';
import { abandoned, standing } from './snapshot.ts';
import { idleTargets, removeIdleTargets, targetCommands } from './standing-targets.ts';
import type { Decision, Now, State } from './state.ts';

/**
 * Rule: one change of the queue, which puts in the sessions of admitted cells and takes out archived ones. Each step is
 * durable before the next: ledger and intent, contracts, TARGETS.md, SESSIONS.md, `queued` and `removed`.
 */
export function changeQueue(state: State, now: Now): Decision {
  const { view } = state;
  if (view.snapshot.fault !== null) return {};
  const admissions = state.admits ? admissionsWithin(state) : [];
  if (admissions.length > 0) {
    const cells = admissions.map((position) => cellToQueue(state, position));
    return { commands: [{ type: 'prepare', cells, known: view.snapshot.byId }] };
  }
  const removals = removalsOf(state);
  return removals.length === 0 ? removeIdleTargets(state, now) : edit(state, [], removals, now);
}

function cellToQueue({ targets, memory }: State, position: number): CellToQueue {
  const target = targets.get(position);
  if (target === undefined) throw new RangeError(`no cell target for position ${position}`);
  const used = memory.sessionsOf(position).map(({ sessionAttempt }) => sessionAttempt);
  return { position, target, used };
}

/** Reaction: nothing of ours may touch the workspace before it is written down that it is ours. */
export function prepared(state: State, fresh: readonly NewSession[], now: Now): Decision {
  const { runId } = state.job;
  const owned = fresh.map(({ sessionId, target }): LedgerEvent => {
    return { type: 'own', runId, sessionId, cellTarget: target.id, contract: target.contractRef };
  });
  const intents = fresh.map(({ sessionId, sessionAttempt, position, target, relay }): JournalEvent => {
    const place = { position, sessionAttempt, cellTarget: target.id, ...(relay === null ? {} : { relay }) };
    return { type: 'intent', sessionId, ...place, cell: cellAt(state.job, position) };
  });
  const { commands = [] } = edit(state, fresh, removalsOf(state), now);
  return { commands: [{ type: 'announce', owned, intents }, ...commands] };
}

function edit(state: State, fresh: readonly NewSession[], remove: readonly Removal[], now: Now): Decision {
  const targets = fresh.map(({ target }) => target);
  const append = fresh.map(({ sessionId, position, target, relay }) =>
    entryFor(state.job, { sessionId, position, cellTarget: target.id, relay }),
  );
  const commands: Command[] = [
    ...targetCommands(state, targets, idleTargets(state, targets, now)),
    {
      type: 'edit_sessions',
      edit: { append, remove },
      purpose: { for: 'change', fresh },
      timeoutMs: null,
      slowestTransitionMs: state.meters.slowestTransitionMs,
    },
  ];
  return { commands };
}

/** Archived sessions whose entry may go, and ids that came back after they were archived. */
function removalsOf({ memory, view, archivedEntries, changedEntries }: State): Removal[] {
  const dead = new Set(abandoned(view.snapshot));
  const removals: Removal[] = [];
  for (const { sessionId: id, phase } of memory.sessions.values()) {
    const entry = view.snapshot.byId.get(id);
    if (entry === undefined || (phase !== 'archived' && phase !== 'closed')) continue;
    const atRest = standing(entry.status) !== 'active';
    if (phase === 'closed') {
      if (atRest || dead.has(entry)) removals.push({ id, when: 'idle' });
    } else if (!atRest || changedEntries.has(id) || !archivedEntries.has(id)) {
      removals.push({ id, when: 'idle' });
    } else {
      removals.push({ id, when: 'archived', archived: archivedEntries.get(id) });
    }
  }
  return removals;
}

/**
 * Reaction: all of it with one write of journal and ledger, since the order among these events does not matter. Without
 * an edit (stopping, or the document is unreadable) the intents stay, and the next look discards them.
 */
export function changed(
  state: State,
  fresh: readonly NewSession[],
  edited: SessionsEdited | null,
  now: Now,
): Decision {
  const { meters } = state;
  const measured = {
    ...meters,
    lockMs: meters.lockMs + (edited?.waitedMs ?? 0),
    lastMoveMs: fresh.length > 0 ? now.ms : meters.lastMoveMs,
  };
  if (edited === null) return { change: { meters: measured } };
  const results = [...edited.removals];
  const idsOf = (...kinds: readonly RemovalResult[]): string[] =>
    results.filter(([, result]) => kinds.includes(result)).map(([id]) => id);
  const gone = new Set(idsOf('removed', 'absent'));
  const { runId } = state.job;
  const released = [...gone].map((sessionId): LedgerEvent => {
    return { type: 'released', runId, sessionId, how: 'removed' };
  });
  const events = [
    ...fresh.map(({ sessionId }): JournalEvent => ({ type: 'queued', sessionId })),
    ...results.flatMap(([id, result]) => noteOf(state, id, result) ?? []),
  ];
  return {
    change: {
      meters: measured,
      archivedEntries: new Map([...state.archivedEntries].filter(([id]) => !gone.has(id))),
      changedEntries: new Set([...state.changedEntries, ...idsOf('unequal')]),
      returned: new Set([...state.returned, ...idsOf('busy')]),
    },
    commands: [journal(...events), ledger(...released)],
  };
}

/** What to write down about one removal; see `RemovalResult`. */
function noteOf({ memory }: State, sessionId: string, result: RemovalResult): JournalEvent | null {
  switch (result) {
    case 'removed':
    case 'absent':
      return { type: 'removed', sessionId };
    case 'unequal': {
      const reason = 'the entry was changed after it was archived; the archive was kept';
      return { type: 'conflict', sessionId, reason };
    }
    case 'busy': {
      if (memory.sessions.get(sessionId)?.phase === 'closed') return null;
      const reason = 'at work again after it was archived; its new result does not count';
      return { type: 'discarded', sessionId, reason };
    }
  }
}
