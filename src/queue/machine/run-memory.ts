import type { ArchivedFile, JournalEvent, Judgement, OmittedFile } from '../../model/journal-events.ts';
import { connectionFault } from '../../outcome/connection-fault.ts';

/**
 * Where a session of ours stands. `intent`: announced, maybe not in the queue. `settled`: terminal, not archived.
 * `archived`: its evidence is durable, the entry may still be there. `kept`: its entry stays, as the user wished. `closed`: nothing of it
 * is left to do, and no entry may be there.
 */
type Phase = 'intent' | 'queued' | 'running' | 'settled' | 'archived' | 'kept' | 'closed';

export interface SessionMemory {
  readonly sessionId: string;
  readonly position: number;
  readonly sessionAttempt: number;
  readonly cellTarget: string;
  /** Policy endpoint of the relay that records this session; null when it asks the policy itself. */
  readonly relay: string | null;
  /** Attempt of the run that queued it. */
  readonly fromAttempt: number;
  readonly phase: Phase;
  /** Null until it was judged; stays null for sessions that can never count. */
  readonly judgement: Judgement | null;
  /** Of a connection error: whether it used up an attempt of its cell; null until target and policy were asked. */
  readonly weighed: 'counts' | 'given_back' | null;
  readonly files: readonly ArchivedFile[];
  readonly omitted: readonly OmittedFile[];
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  /** Bytes that the runtime keeps for it; null is unknown, or no cap asked. */
  readonly artifactBytes: number | null;
  /** Time of the runtime's own stamp when it was first seen running. */
  readonly runningStamp: string | null;
}

/** An event that tells where and for what cell a session is. */
type Placing = Extract<JournalEvent, { type: 'intent' | 'adopted' }>;

interface Folded {
  readonly sessions: ReadonlyMap<string, SessionMemory>;
  /** Session ids of each cell, oldest first. */
  readonly cells: ReadonlyMap<number, readonly string[]>;
  /** Ids in the order in which sessions were judged. */
  readonly judgements: readonly string[];
}

/**
 * What the journal says, folded: the only truth about intent and ownership. Never changes; `with` gives the memory
 * after further events, so that a replay after a crash gives what the running process had.
 */
export class RunMemory {
  /** Attempt whose events are being folded. */
  readonly attempt: number;
  private readonly folded: Folded;

  constructor(attempt: number, folded: Folded = { sessions: new Map(), cells: new Map(), judgements: [] }) {
    this.attempt = attempt;
    this.folded = folded;
  }

  /** Every session, in the order in which they were announced. */
  get sessions(): ReadonlyMap<string, SessionMemory> {
    return this.folded.sessions;
  }

  /** Of one cell, oldest first. */
  sessionsOf(position: number): readonly SessionMemory[] {
    return this.named(this.folded.cells.get(position) ?? []);
  }

  open(): readonly SessionMemory[] {
    return [...this.sessions.values()].filter(({ phase }) => phase !== 'closed' && phase !== 'kept');
  }

  /** In the order in which they were judged. */
  judged(): readonly SessionMemory[] {
    return this.named(this.folded.judgements);
  }

  /** The memory after these events of an attempt (of the one before, when none is named). */
  with(events: readonly JournalEvent[], attempt = this.attempt): RunMemory {
    const sessions = new Map(this.sessions);
    const cells = new Map(this.folded.cells);
    const judgements = [...this.folded.judgements];
    for (const event of events) {
      if ((event.type === 'intent' || event.type === 'adopted') && !sessions.has(event.sessionId)) {
        sessions.set(event.sessionId, placed(event, attempt));
        cells.set(event.position, [...(cells.get(event.position) ?? []), event.sessionId]);
      }
      for (const session of concerned(event, sessions)) {
        const after = advanced(session, event);
        sessions.set(session.sessionId, after);
        if (session.judgement === null && after.judgement !== null) judgements.push(session.sessionId);
      }
    }
    return new RunMemory(attempt, { sessions, cells, judgements });
  }

  private named(ids: readonly string[]): readonly SessionMemory[] {
    return ids.flatMap((id) => this.sessions.get(id) ?? []);
  }
}

function placed(event: Placing, attempt: number): SessionMemory {
  const { sessionId, position, sessionAttempt, cellTarget } = event;
  return {
    sessionId,
    position,
    sessionAttempt,
    cellTarget,
    relay: event.relay ?? null,
    fromAttempt: event.type === 'adopted' ? event.fromAttempt : attempt,
    phase: 'intent',
    judgement: null,
    weighed: null,
    files: [],
    omitted: [],
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    artifactBytes: null,
    runningStamp: null,
  };
}

function concerned(event: JournalEvent, sessions: ReadonlyMap<string, SessionMemory>): SessionMemory[] {
  const ids = event.type === 'kept' ? event.sessionIds : 'sessionId' in event ? [event.sessionId] : [];
  return ids.flatMap((id) => sessions.get(id) ?? []);
}

/** A session after an event of its own. */
function advanced(session: SessionMemory, event: JournalEvent): SessionMemory {
  switch (event.type) {
    case 'queued':
      return { ...session, phase: 'queued' };
    case 'running':
      return { ...session, phase: 'running', runningStamp: event.updatedAt };
    case 'terminal':
      return isLive(session) ? { ...session, phase: 'settled' } : session;
    case 'collected':
      // A conflict stays one: the archive is kept, but it is not the only version.
      return {
        ...session,
        ...pickCollected(event),
        phase: 'archived',
        judgement: session.judgement ?? judgementOf(event),
      };
    case 'conflict':
      return { ...session, judgement: { outcome: 'conflict', errorCode: null, errorMessage: event.reason } };
    case 'lost':
      return {
        ...session,
        phase: 'closed',
        judgement: { outcome: 'lost', errorCode: null, errorMessage: event.reason },
        artifactBytes: event.artifactBytes ?? null,
      };
    case 'weighed':
      return { ...session, weighed: event.counts ? 'counts' : 'given_back' };
    case 'removed':
    case 'cancelled':
    case 'discarded':
      return { ...session, phase: 'closed' };
    case 'kept':
      return { ...session, phase: 'kept' };
    default:
      return session;
  }
}

function judgementOf(judgement: Judgement): Judgement {
  const { outcome, errorCode, errorMessage } = judgement;
  return { outcome, errorCode, errorMessage };
}

function pickCollected(
  event: Extract<JournalEvent, { type: 'collected' }>,
): Pick<SessionMemory, 'files' | 'omitted' | 'startedAt' | 'finishedAt' | 'durationMs' | 'artifactBytes'> {
  const { files, omitted, startedAt, finishedAt, durationMs, artifactBytes = null } = event;
  return { files, omitted, startedAt, finishedAt, durationMs, artifactBytes };
}

/** Ended in a connection error, and target and policy were not asked since: whether it counts is not known yet. */
export function isUnweighed({ judgement, weighed }: SessionMemory): boolean {
  return weighed === null && judgement !== null && connectionFault(judgement) !== null;
}

/** In the queue for all we know, so it fills the window. */
export function isLive(session: SessionMemory): boolean {
  return session.phase === 'intent' || session.phase === 'queued' || session.phase === 'running';
}
