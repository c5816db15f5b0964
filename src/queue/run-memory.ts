import type { ArchivedFile, JournalEvent, Judgement, OmittedFile } from '../model/journal-events.ts';
import { connectionFault } from '../outcome/connection-fault.ts';

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
  phase: Phase;
  /** Null until it was judged; stays null for sessions that can never count. */
  judgement: Judgement | null;
  /** Of a connection error: whether it used up an attempt of its cell; null until target and policy were asked. */
  weighed: 'counts' | 'given_back' | null;
  files: readonly ArchivedFile[];
  omitted: readonly OmittedFile[];
  startedAt: string | null;
  finishedAt: string | null;
  durationMs: number | null;
  /** Bytes that the runtime keeps for it; null is unknown, or no cap asked. */
  artifactBytes: number | null;
  /** Time of the runtime's own stamp when it was first seen running. */
  runningStamp: string | null;
}

/**
 * What the journal says, folded: the only truth about intent and ownership. It changes by `apply` alone, so that a
 * replay after a crash gives what the running process had.
 */
export class RunMemory {
  readonly sessions = new Map<string, SessionMemory>();
  /** Session ids of each cell, oldest first. */
  private readonly cells = new Map<number, SessionMemory[]>();
  /** Order in which sessions were judged. */
  private readonly judgements: SessionMemory[] = [];
  /** Attempt whose events are being applied. */
  attempt: number;

  constructor(attempt: number) {
    this.attempt = attempt;
  }

  sessionsOf(position: number): readonly SessionMemory[] {
    return this.cells.get(position) ?? [];
  }

  open(): SessionMemory[] {
    return [...this.sessions.values()].filter(({ phase }) => phase !== 'closed' && phase !== 'kept');
  }

  /** Judged outcomes, oldest first. */
  judged(): readonly SessionMemory[] {
    return this.judgements;
  }

  apply(event: JournalEvent): void {
    if (event.type === 'intent') this.add({ ...event, fromAttempt: this.attempt });
    else if (event.type === 'adopted') this.add(event);
    else if (event.type === 'kept') for (const id of event.sessionIds) this.keep(id);
    else if ('sessionId' in event) this.advance(event);
  }

  private add(
    place: Pick<SessionMemory, 'sessionId' | 'position' | 'sessionAttempt' | 'cellTarget' | 'fromAttempt'> & {
      readonly relay?: string | undefined;
    },
  ): void {
    if (this.sessions.has(place.sessionId)) return;
    const { sessionId, position, sessionAttempt, cellTarget, fromAttempt } = place;
    const session: SessionMemory = {
      sessionId,
      position,
      sessionAttempt,
      cellTarget,
      relay: place.relay ?? null,
      fromAttempt,
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
    this.sessions.set(sessionId, session);
    const siblings = this.cells.get(position);
    if (siblings === undefined) this.cells.set(position, [session]);
    else siblings.push(session);
  }

  private advance(event: Extract<JournalEvent, { sessionId: string }>): void {
    const session = this.sessions.get(event.sessionId);
    if (session === undefined) return;
    switch (event.type) {
      case 'queued':
        session.phase = 'queued';
        break;
      case 'running':
        session.phase = 'running';
        session.runningStamp = event.updatedAt;
        break;
      case 'terminal':
        if (isLive(session)) session.phase = 'settled';
        break;
      case 'collected':
        session.phase = 'archived';
        Object.assign(session, pickCollected(event));
        // A conflict stays one: the archive is kept, but it is not the only version.
        if (session.judgement === null) this.judge(session, judgementOf(event));
        break;
      case 'conflict':
        this.judge(session, { outcome: 'conflict', errorCode: null, errorMessage: event.reason });
        break;
      case 'lost':
        this.judge(session, { outcome: 'lost', errorCode: null, errorMessage: event.reason });
        session.artifactBytes = event.artifactBytes ?? null;
        session.phase = 'closed';
        break;
      case 'weighed':
        session.weighed = event.counts ? 'counts' : 'given_back';
        break;
      case 'removed':
      case 'cancelled':
      case 'discarded':
        session.phase = 'closed';
        break;
    }
  }

  private judge(session: SessionMemory, judgement: Judgement): void {
    if (session.judgement === null) this.judgements.push(session);
    session.judgement = judgement;
  }

  private keep(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.phase = 'kept';
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
