import type { EpisodeRecord, Outcome, PolicyProof, SessionAttempt } from '../model/episode-record.ts';
import type { JournalRecord, OmittedFile } from '../model/journal-events.ts';
import { type Cell, cellKey, type Plan } from '../model/plan.ts';
import { assistedOf } from './assisted.ts';
import type { Classified } from './classified.ts';
import { classify } from './classify.ts';
import type { SessionEvidence } from './evidence.ts';

/** One session of the run as the journal tells it; the evidence is in raw/. Times as in the journal. */
export interface SessionRef {
  readonly sessionId: string;
  readonly position: number;
  readonly attempt: number;
  /** What the journal says became of the session when there is no archive to judge. */
  readonly closed: 'collected' | 'lost' | 'conflict' | 'cancelled' | 'open';
  readonly reason: string | null;
  readonly omitted: readonly OmittedFile[];
  /** The target that was made for the session's cell. */
  readonly cellTarget: string;
  /** Mode of a verifier that may have had a word in a collected session's status; null without. */
  readonly verifier: string | null;
  /** The first attempt that this one repeats for a verifier; null for a first attempt. */
  readonly replanOf: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
}

/**
 * The sessions that count, in the order in which they were queued. A session that was discarded before it was
 * collected never counts; what comes back after its archive changes nothing.
 */
export function sessionsOf(journal: readonly JournalRecord[]): readonly SessionRef[] {
  const sessions = new Map<string, SessionRef>();
  for (const { event } of journal) {
    if (event.type === 'intent' || event.type === 'adopted') {
      sessions.set(event.sessionId, opened(event));
      continue;
    }
    if (!('sessionId' in event)) continue;
    const known = sessions.get(event.sessionId);
    if (known === undefined) continue;
    if (event.type === 'discarded') {
      if (known.closed !== 'collected') sessions.delete(event.sessionId);
      continue;
    }
    const next = closedBy(known, event);
    if (next !== null) sessions.set(event.sessionId, next);
  }
  return [...sessions.values()];
}

type Opening = Extract<JournalRecord['event'], { type: 'intent' | 'adopted' }>;

function opened(event: Opening): SessionRef {
  return {
    sessionId: event.sessionId,
    position: event.position,
    attempt: event.sessionAttempt,
    closed: 'open',
    reason: null,
    omitted: [],
    cellTarget: event.cellTarget,
    verifier: event.type === 'intent' ? (event.verifier ?? null) : null,
    replanOf: event.type === 'intent' ? (event.replanOf ?? null) : null,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
  };
}

function closedBy(known: SessionRef, event: JournalRecord['event']): SessionRef | null {
  if (event.type === 'collected') {
    const { omitted, startedAt, finishedAt, durationMs } = event;
    // A conflict stays one: the archive is kept, but it is not the only version.
    const closed = known.closed === 'conflict' ? 'conflict' : 'collected';
    return { ...known, closed, omitted, startedAt, finishedAt, durationMs };
  }
  if (event.type === 'conflict') return { ...known, closed: 'conflict', reason: event.reason };
  if (known.closed === 'collected') return null;
  if (event.type === 'lost' || event.type === 'cancelled') {
    return { ...known, closed: event.type, reason: event.reason };
  }
  return null;
}

/** A session judged: what `classify` found, or what the journal says when nothing was archived. */
export interface JudgedSession {
  readonly session: SessionRef;
  readonly found: Classified;
  /** Absent when the run did not record its policies. */
  readonly proof?: PolicyProof;
}

/**
 * Judges one session from its archived evidence; `evidence` is null when the journal has no `collected` for it.
 * With `plan` null nothing was planned, so nothing is compared.
 */
export function judgeSession(
  plan: Plan | null,
  session: SessionRef,
  evidence: SessionEvidence | null,
): JudgedSession {
  const cell = plan?.cells[session.position] ?? null;
  if (session.closed === 'collected' && evidence !== null) {
    const { cellTarget, verifier } = session;
    return { session, found: classify({ plan, cell, cellTarget, evidence, verifier }) };
  }
  return { session, found: unarchived(session) };
}

const CLOSED_OUTCOMES = {
  collected: 'missing',
  lost: 'lost',
  conflict: 'conflict',
  cancelled: 'cancelled',
  open: 'not_run',
} as const satisfies Record<SessionRef['closed'], Outcome>;

function unarchived(session: SessionRef): Classified {
  const outcome = CLOSED_OUTCOMES[session.closed];
  const open = session.closed === 'open' ? ['still in the queue when the run ended'] : [];
  return {
    outcome,
    success: null,
    successSource: null,
    steps: null,
    episodeReturn: null,
    policyLatencyMs: null,
    policyCalls: null,
    finishedAt: null,
    errorCode: outcome === 'lost' ? 'SESSION_LOST' : null,
    errorMessage: session.reason,
    artifactDir: null,
    notes: open,
    executed: null,
    verifierSays: null,
  };
}

/** Outcomes after which a cell is settled: a later session of the same cell never replaces them. */
const SETTLING: ReadonlySet<Outcome> = new Set([
  'success',
  'failure',
  'timed_out',
  'rejected',
  'mismatch',
  'conflict',
  'missing',
]);

/**
 * One record per planned cell, in planned order, whatever the order of `sessions`. The first session with a settled
 * outcome decides (never the best one); else the last that was tried; cells without a session are `not_run`.
 * `positions` are the cells of this run when it is a shard; null is the whole plan.
 */
export function buildRecords(
  plan: Plan,
  sessions: readonly JudgedSession[],
  positions: readonly number[] | null = null,
): readonly EpisodeRecord[] {
  const byPosition = new Map<number, JudgedSession[]>();
  for (const judged of sessions) {
    const list = byPosition.get(judged.session.position) ?? [];
    list.push(judged);
    byPosition.set(judged.session.position, list);
  }
  const languages = new Map(plan.tasks.map((task) => [task.taskId, task.language]));
  const wanted = positions === null ? null : new Set(positions);
  return plan.cells.flatMap((cell, position) => {
    if (wanted !== null && !wanted.has(position)) return [];
    const tried = (byPosition.get(position) ?? []).sort(byAttempt);
    return [recordOf(plan, { cell, position, language: languages.get(cell.taskId) ?? '' }, tried)];
  });
}

function byAttempt(left: JudgedSession, right: JudgedSession): number {
  const difference = left.session.attempt - right.session.attempt;
  if (difference !== 0) return difference;
  return left.session.sessionId < right.session.sessionId ? -1 : 1;
}

interface Place {
  readonly cell: Cell;
  readonly position: number;
  readonly language: string;
}

/**
 * The session that decides a cell, of all that were tried, in order of attempts; null without any. The queue asks the
 * same question while it runs.
 */
export function decidingSession<T>(tried: readonly T[], outcomeOf: (session: T) => Outcome): T | null {
  const settled = tried.find((session) => SETTLING.has(outcomeOf(session)));
  const ran = tried.findLast((session) => outcomeOf(session) !== 'not_run');
  return settled ?? ran ?? tried.at(-1) ?? null;
}

function recordOf(plan: Plan, place: Place, tried: readonly JudgedSession[]): EpisodeRecord {
  // The simulator's own first attempt is the outcome; what a verifier had tried again never is.
  const own = tried.filter(({ session }) => session.replanOf === null);
  const settled = own.filter(({ found }) => SETTLING.has(found.outcome));
  const decided = decidingSession(own, ({ found }) => found.outcome);
  const notes = [...(decided?.found.notes ?? [])];
  if (settled.length > 1)
    notes.push(`${settled.length} sessions of ${cellKey(place.cell)} finished; the first counts`);
  const found = decided?.found ?? null;
  return {
    benchmark: plan.benchmark,
    suite: plan.suite,
    ...place.cell,
    position: place.position,
    language: place.language,
    outcome: found?.outcome ?? 'not_run',
    sessionId: decided?.session.sessionId ?? null,
    attempts: tried.map(attemptOf),
    ...measuresOf(found),
    durationMs: decided?.session.durationMs ?? null,
    startedAt: decided?.session.startedAt ?? null,
    finishedAt: decided?.session.finishedAt ?? found?.finishedAt ?? null,
    errorCode: found?.errorCode ?? null,
    errorMessage: found?.errorMessage ?? null,
    artifactDir: found?.artifactDir ?? null,
    ...(decided?.proof === undefined ? {} : { policyProof: decided.proof }),
    ...(plan.evidence === undefined ? {} : { evidence: plan.evidence }),
    ...assistedOf(tried, decided),
    notes,
  };
}

function measuresOf(
  found: Classified | null,
): Pick<
  EpisodeRecord,
  'success' | 'successSource' | 'steps' | 'episodeReturn' | 'policyLatencyMs' | 'policyCalls'
> {
  return {
    success: found?.success ?? null,
    successSource: found?.successSource ?? null,
    steps: found?.steps ?? null,
    episodeReturn: found?.episodeReturn ?? null,
    policyLatencyMs: found?.policyLatencyMs ?? null,
    policyCalls: found?.policyCalls ?? null,
  };
}

function attemptOf({ session: { sessionId, attempt }, found }: JudgedSession): SessionAttempt {
  const { outcome, errorCode, errorMessage } = found;
  return { sessionId, attempt, outcome, errorCode, errorMessage };
}
