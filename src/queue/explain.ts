import type { Execution } from './execution.ts';
import { paceOf, type View } from './look.ts';
import { overdueSession } from './overdue.ts';
import { isLive } from './run-memory.ts';
import { latestMove, leftOvers, type QueueEntry, timeAllowedMs } from './snapshot.ts';

/** Silence with something pending from which on it is worth a word. */
const QUIET_MS = 20_000;

/** Reading thousands of entries by the runtime's rules takes seconds on a busy host, so the answer is there in time. */
const ASK_AFTER_MS = 12_000;

/** Between two looks at the documents with the runtime's own rules. */
const DIAGNOSE_EVERY_MS = 60_000;

/**
 * When nothing moves although sessions are pending, or a session of ours is not ended in time: asks whether the runtime
 * would refuse a document, since it does not even finish a running session then.
 */
export async function askWhyQuiet(execution: Execution, view: View): Promise<void> {
  const { input, memory, meters, pause } = execution;
  const now = input.clock.now();
  const quiet = view.working === null && pause.sinceMs === null && memory.open().some(isLive);
  const overdue = overdueSession(execution, view, 0) !== null;
  if (!overdue && (!quiet || now - meters.lastMoveMs < ASK_AFTER_MS)) {
    meters.diagnosis = { askedMs: 0, answer: null };
    return;
  }
  if (input.diagnose === undefined || now - meters.diagnosis.askedMs < DIAGNOSE_EVERY_MS) return;
  meters.diagnosis = { askedMs: now, answer: await input.diagnose() };
}

/** Why nothing moves, as far as anybody knows. */
export function whyQuiet(execution: Execution): string {
  return execution.meters.diagnosis.answer ?? 'is the watchdog running?';
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

/** Pure apart from the clock. */
export function explain(execution: Execution, view: View): Situation {
  const { memory, pause, meters, input } = execution;
  const { snapshot, working } = view;
  if (snapshot.fault !== null) {
    const text = `SESSIONS.md is not readable, so the watchdog does nothing: ${snapshot.fault}`;
    return { text, waitsFor: 'document' };
  }
  if (pause.sinceMs !== null)
    return { text: `paused: ${pause.lastAnswer ?? 'asking target and policy'}`, waitsFor: 'answer' };
  const note = leftOverNote(execution, view);
  if (working !== null) return atWorkNow(execution, view, { working, note });
  if (pause.inquiry !== null)
    return { text: 'asking target and policy after a connection error', waitsFor: 'answer' };
  if (!memory.open().some(isLive)) return { text: `about to queue${note}`, waitsFor: null };
  const quiet = input.clock.now() - meters.lastMoveMs;
  if (quiet < QUIET_MS) return { text: `queued${note}`, waitsFor: null };
  const why = `nothing moves although sessions are pending; ${lastMoveText(view)}; ${whyQuiet(execution)}`;
  return { text: `${why}${note}`, waitsFor: 'watchdog' };
}

function atWorkNow(
  execution: Execution,
  view: View,
  { working, note }: { readonly working: QueueEntry; readonly note: string },
): Situation {
  const since = working.updatedAt === null ? '' : ` since ${working.updatedAt}`;
  if (view.workingIsOurs) {
    const late = lateText(execution, view);
    // The runtime says nothing of a session before its end, and the first one finds no simulator.
    const building =
      working.status === 'running' && execution.memory.judged().length === 0 && late === ''
        ? '; it may still be building its simulator'
        : '';
    return {
      text: `${working.status}: ${working.id}${late}${building}${note}`,
      waitsFor: late === '' ? 'episode' : 'overdue',
    };
  }
  const until = timeAllowedMs(working);
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
function lateText(execution: Execution, view: View): string {
  const fault = execution.meters.diagnosis.answer;
  if (fault !== null) return `; ${fault}`;
  if (overdueSession(execution, view, 0) === null) return '';
  return '; its time limit is over and the watchdog has not ended it, does it still work?';
}

function leftOverNote(execution: Execution, { snapshot }: View): string {
  const dead = leftOvers(snapshot, paceOf(execution)).filter(({ id }) => !execution.memory.sessions.has(id));
  return dead.length === 0
    ? ''
    : `; ${dead.map(({ id }) => id).join(', ')} is left over from a killed watchdog`;
}

function lastMoveText({ snapshot }: View): string {
  const moved = latestMove(snapshot);
  return moved === null
    ? 'no watchdog has ever moved an entry here'
    : `no watchdog has moved an entry since ${new Date(moved).toISOString()}`;
}
