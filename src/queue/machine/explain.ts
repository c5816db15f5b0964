import { isLive, type SessionMemory } from './run-memory.ts';
import {
  latestMove,
  leftOvers,
  type QueueEntry,
  type QueueSnapshot,
  standing,
  timeAllowedMs,
} from './snapshot.ts';
import { type Decision, type Now, paceOf, type State } from './state.ts';

/** Silence with something pending from which on it is worth a word. */
const QUIET_MS = 20_000;

/** Reading thousands of entries by the runtime's rules takes seconds on a busy host, so the answer is there in time. */
const ASK_AFTER_MS = 12_000;

/** Between two looks at the documents with the runtime's own rules, and between two at the room on the disk alone. */
const DIAGNOSE_EVERY_MS = { all: 60_000, disk: 10_000 };

/** A session of ours that the watchdog should have ended: running for longer than its limit and `graceMs`. */
export function overdueSession(
  { job, memory, view }: State,
  now: Now,
  graceMs: number,
): SessionMemory | null {
  const limit = job.settings.sessionTimeoutMs + graceMs;
  const late = memory.open().find((session) => {
    const entry = view.snapshot.byId.get(session.sessionId);
    if (session.phase !== 'running' || entry === undefined || standing(entry.status) === 'terminal')
      return false;
    // Of a session without a readable stamp nothing is known: NaN is never above the limit.
    return now.ms - Date.parse(session.runningStamp ?? '') > limit;
  });
  return late ?? null;
}

/**
 * Rule: when nothing moves although sessions are pending, or a session of ours is not ended in time, asks whether the
 * runtime would refuse a document, since it does not even finish a running session then. While a session of ours is at
 * work only the disk is asked: one that is full has ended the watchdog, and asking costs nothing in a long episode.
 */
export function askWhyQuiet(state: State, now: Now): Decision {
  const { memory, meters, pause, view } = state;
  const quiet = view.working === null && pause.sinceMs === null && memory.open().some(isLive);
  const overdue = overdueSession(state, now, 0) !== null;
  const { askedMs, answer } = meters.diagnosis;
  const isStill = now.ms - stillSinceMs(state) >= ASK_AFTER_MS;
  const atWork = view.working !== null && view.workingIsOurs;
  if (!overdue && !(isStill && (quiet || atWork)))
    return { change: { meters: { ...meters, diagnosis: { of: 'all', askedMs: 0, answer: null } } } };
  const of = atWork && !overdue ? 'disk' : 'all';
  if (meters.diagnosis.of === of && now.ms - askedMs < DIAGNOSE_EVERY_MS[of]) return {};
  return {
    change: { meters: { ...meters, diagnosis: { of, askedMs: now.ms, answer } } },
    commands: [{ type: 'diagnose', of }],
  };
}

/** When anything moved last: a session at work counts by its own stamp. */
function stillSinceMs({ meters, view }: State): number {
  return view.working === null ? meters.lastMoveMs : (view.working.updatedMs ?? meters.lastMoveMs);
}

/** Why nothing moves, as far as anybody knows. */
export function whyQuiet({ meters }: State): string {
  return meters.diagnosis.answer ?? 'is the watchdog running?';
}

/** What a run does or waits for. */
export interface Situation {
  /** In one line without numbers that change all the time. */
  readonly text: string;
  /**
   * What it waits for, by kind; null when all goes on as it should. Who watches is told when one lasts, and when another
   * one takes its place.
   */
  readonly waitsFor: 'document' | 'answer' | 'others' | 'episode' | 'overdue' | 'watchdog' | null;
}

export function explain(state: State, now: Now): Situation {
  const { memory, pause, meters, view } = state;
  if (view.snapshot.fault !== null) {
    const text = `SESSIONS.md is not readable, so the watchdog does nothing: ${view.snapshot.fault}`;
    return { text, waitsFor: 'document' };
  }
  if (pause.sinceMs !== null)
    return { text: `paused: ${pause.lastAnswer ?? 'asking target and policy'}`, waitsFor: 'answer' };
  const note = leftOverNote(state, now);
  if (view.working !== null) return atWorkNow(state, view.working, note, now);
  if (pause.asking) return { text: 'asking target and policy after a connection error', waitsFor: 'answer' };
  if (state.givingWay.to !== null)
    return { text: `giving the host to ${state.givingWay.to}${note}`, waitsFor: null };
  if (!memory.open().some(isLive)) return { text: `about to queue${note}`, waitsFor: null };
  if (now.ms - meters.lastMoveMs < QUIET_MS) return { text: `queued${note}`, waitsFor: null };
  const why = `nothing moves although sessions are pending; ${lastMoveText(view.snapshot, memory.sessions.values())}; ${whyQuiet(state)}`;
  return { text: `${why}${note}`, waitsFor: 'watchdog' };
}

function atWorkNow(state: State, working: QueueEntry, note: string, now: Now): Situation {
  if (state.view.workingIsOurs) {
    const late = lateText(state, now);
    // The runtime says nothing of a session before its end, and the first one finds no simulator.
    const building =
      working.status === 'running' && state.memory.judged().length === 0 && late === ''
        ? '; it may still be building its simulator'
        : '';
    return {
      text: `${working.status}: ${working.id}${late}${building}${note}`,
      waitsFor: late === '' ? 'episode' : 'overdue',
    };
  }
  const since = working.updatedAt === null ? '' : ` since ${working.updatedAt}`;
  const until = timeAllowedMs(working, state.view.snapshot);
  const end =
    until === null || working.updatedMs === null
      ? ''
      : `; it may take until ${new Date(working.updatedMs + until).toISOString()}`;
  return {
    text: `waiting for the foreign session ${working.id} (${working.status}${since}${end})${note}`,
    waitsFor: 'others',
  };
}

/** A session of ours beyond its time limit: most of its grace is left to mend the host. */
function lateText(state: State, now: Now): string {
  const fault = state.meters.diagnosis.answer;
  if (fault !== null) return `; ${fault}`;
  if (overdueSession(state, now, 0) === null) return '';
  return '; its time limit is over and the watchdog has not ended it, does it still work?';
}

function leftOverNote(state: State, now: Now): string {
  const dead = leftOvers(state.view.snapshot, paceOf(state, now)).filter(
    ({ id }) => !state.memory.sessions.has(id),
  );
  return dead.length === 0
    ? ''
    : `; ${dead.map(({ id }) => id).join(', ')} is left over from a killed watchdog`;
}

/**
 * When the watchdog last moved anything. Finished entries of ours are taken out of the document, so of a run that is alone
 * only the memory has the last moves.
 */
export function lastMoveText(
  snapshot: QueueSnapshot,
  ours: Iterable<Pick<SessionMemory, 'runningStamp' | 'finishedAt'>>,
): string {
  const stamps = [...ours].flatMap(({ runningStamp, finishedAt }) => [runningStamp, finishedAt]);
  const moves = [latestMove(snapshot) ?? Number.NaN, ...stamps.map((stamp) => Date.parse(stamp ?? ''))];
  const known = moves.filter(Number.isFinite);
  return known.length === 0
    ? 'no watchdog has ever moved an entry here'
    : `no watchdog has moved an entry since ${new Date(Math.max(...known)).toISOString()}`;
}
