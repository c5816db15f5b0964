import type { LedgerEvent } from '../../lane/ledger.ts';
import type { JournalEvent } from '../../model/journal-events.ts';
import { type Collected, type Event, journal, ledger } from './commands.ts';
import { measured } from './meters.ts';
import { isLive, type RunMemory, type SessionMemory } from './run-memory.ts';
import {
  abandoned,
  atWork,
  leftOvers,
  type Pace,
  type QueueEntry,
  type QueueSnapshot,
  standing,
} from './snapshot.ts';
import { keepTargetsForNow } from './standing-targets.ts';
import { type Decision, type Finding, joined, type Now, paceOf, type State, warned } from './state.ts';

/** SESSIONS.md as just read: what is at work, what time it cost, and what happened to our sessions since the last look. */
export function seen(
  state: State,
  { snapshot, window, wanted }: Omit<Extract<Event, { type: 'looked' }>, 'type' | 'answers'>,
  now: Now,
): Partial<State> {
  const pace = paceOf(state, now);
  const working = atWork(snapshot, pace);
  const view = {
    snapshot,
    working,
    workingIsOurs: working !== null && state.memory.sessions.has(working.id),
    window,
    wanted,
  };
  const meters = measured(state.meters, view, now.ms);
  const later = { ...pace, slowestTransitionMs: meters.slowestTransitionMs };
  return {
    view,
    meters,
    findings: snapshot.fault === null ? reconcile(state.memory, snapshot, later) : [],
  };
}

/** Compares the memory with a readable SESSIONS.md; the order of findings is the order of queueing. */
export function reconcile(memory: RunMemory, snapshot: QueueSnapshot, pace: Pace): readonly Finding[] {
  const dead = new Set(deadEntries(snapshot, pace));
  return [...memory.sessions.values()].flatMap(
    (session) => compare(session, snapshot.byId.get(session.sessionId) ?? null, dead) ?? [],
  );
}

/** Age alone never ends an episode: of one that ran into silence the outcome is unknown (see `stuckSession`). */
function deadEntries(snapshot: QueueSnapshot, pace: Pace): readonly QueueEntry[] {
  const shortLived = leftOvers(snapshot, pace).filter(({ status }) => status !== 'running');
  return [...abandoned(snapshot), ...shortLived];
}

function compare(
  session: SessionMemory,
  entry: QueueEntry | null,
  dead: ReadonlySet<QueueEntry>,
): Finding | null {
  if (entry === null) return withoutEntry(session);
  if (session.phase === 'closed') return { kind: 'returned', session, entry };
  if (isLive(session) || session.phase === 'settled') {
    return dead.has(entry) ? { kind: 'settled', session, entry } : withEntry(session, entry);
  }
  return null;
}

function withoutEntry(session: SessionMemory): Finding | null {
  switch (session.phase) {
    case 'intent':
      return { kind: 'unqueued', session };
    case 'queued':
    case 'running':
    case 'settled':
      return { kind: 'vanished', session };
    case 'archived':
      return { kind: 'gone', session };
    default:
      return null;
  }
}

function withEntry(session: SessionMemory, entry: QueueEntry): Finding | null {
  if (standing(entry.status) === 'terminal') return { kind: 'settled', session, entry };
  if (session.phase === 'intent') return { kind: 'queued', session };
  const isRunning = entry.status === 'running' || entry.status === 'finalizing';
  return isRunning && session.phase === 'queued' ? { kind: 'running', session, entry } : null;
}

/** Rule: one finding after the other. */
export function follow(state: State, now: Now): Decision {
  const [finding, ...findings] = state.findings;
  if (finding === undefined) return {};
  return joined(followOne(state, finding, now), { change: { findings, next: state.at } });
}

function followOne(state: State, finding: Finding, now: Now): Decision {
  const { session } = finding;
  const { sessionId } = session;
  const withdrawn = { atMs: now.ms, documentBytes: state.view.snapshot.bytes };
  const keep = keepTargetsForNow(state, [session], withdrawn);
  switch (finding.kind) {
    case 'unqueued': {
      const reason = 'announced, but no entry was queued';
      // Or it was, and somebody took it out before that was written down.
      return joined({ change: keep }, over(state, { type: 'discarded', sessionId, reason }, 'never_queued'));
    }
    case 'queued':
      return { commands: [journal({ type: 'queued', sessionId })] };
    case 'running': {
      const { updatedAt } = finding.entry;
      return { commands: [journal({ type: 'running', sessionId, updatedAt })] };
    }
    case 'settled': {
      const { entry } = finding;
      const change = entry.status === 'cancelled' ? keep : {};
      return { change, commands: [{ type: 'collect', session, entry }] };
    }
    case 'vanished':
      return {
        change: keep,
        commands: [{ type: 'collect', session, entry: null }],
      };
    case 'gone':
      return over(state, { type: 'removed', sessionId }, 'removed');
    case 'returned':
      return returned(state, sessionId, finding.entry);
  }
}

type Released = Extract<LedgerEvent, { type: 'released' }>['how'];

/** The session's last event, then the ledger that needs it no longer. */
function over(
  { job }: State,
  event: Extract<JournalEvent, { type: 'discarded' | 'removed' }>,
  how: Released,
): Decision {
  const { sessionId } = event;
  return { commands: [journal(event), ledger({ type: 'released', runId: job.runId, sessionId, how })] };
}

function returned(state: State, sessionId: string, entry: QueueEntry): Decision {
  const change = { returned: new Set([...state.returned, sessionId]) };
  // Pending and terminal ones are taken out with the next change of the queue.
  if (standing(entry.status) !== 'active') return { change };
  // The watchdog that claimed it may be dead: nothing says that it runs.
  const message = `The entry of session ${sessionId} is back as ${entry.status} although its result is archived; what comes of it does not count.`;
  return joined({ change }, warned(state, message));
}

/** Reaction: what was collected is written down; with `keep-sessions: always` the entry is no longer ours to take out. */
export function collected(state: State, event: Collected): Decision {
  const { session, entry, events, archive } = event;
  const { sessionId } = session;
  const { runId, settings } = state.job;
  const said = event.warnings.reduce<Decision>(
    (before, message) =>
      joined(before, warned({ ...state, warnings: before.change?.warnings ?? state.warnings }, message)),
    {},
  );
  const isArchived = events.some(({ type }) => type === 'collected');
  const isKept = isArchived && entry !== null && settings.keepSessions === 'always';
  const commands = [journal(...events)];
  // An entry that is still there stays ours until it is out: a crash in between must leave it to the next sweep.
  if (!isArchived && entry === null)
    commands.push(ledger({ type: 'released', runId, sessionId, how: 'lost' }));
  if (isKept) commands.push(journal({ type: 'kept', sessionIds: [sessionId] }));
  if (isKept) commands.push(ledger({ type: 'released', runId, sessionId, how: 'kept' }));
  return joined(said, {
    change: {
      otherPolicy: event.otherPolicy,
      ...(archive === null
        ? {}
        : { archivedEntries: new Map(state.archivedEntries).set(sessionId, archive.body) }),
    },
    commands,
  });
}
