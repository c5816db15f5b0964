import type { Execution } from './execution.ts';
import { paceOf, type View } from './look.ts';
import { overdueSession } from './overdue.ts';
import { isLive } from './run-memory.ts';
import { leftOvers } from './snapshot.ts';

/** Silence with something pending from which on it is worth a word. */
const QUIET_MS = 20_000;

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
  if (!overdue && (!quiet || now - meters.lastMoveMs < QUIET_MS)) {
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

/** A session of ours beyond its time limit: most of its grace is left to mend the host. */
function lateText(execution: Execution, view: View): string {
  const fault = execution.meters.diagnosis.answer;
  if (fault !== null) return `; ${fault}`;
  if (overdueSession(execution, view, 0) === null) return '';
  return '; its time limit is over and the watchdog has not ended it, does it still work?';
}

/** What the run waits for, in one line without numbers that change all the time. Pure apart from the clock. */
export function explain(execution: Execution, view: View): string {
  const { memory, input, meters, pause } = execution;
  const { snapshot, working } = view;
  if (snapshot.fault !== null) {
    return `SESSIONS.md is not readable, so the watchdog does nothing: ${snapshot.fault}`;
  }
  if (pause.sinceMs !== null) return `paused: ${pause.lastAnswer ?? 'asking target and policy'}`;
  const dead = leftOvers(snapshot, paceOf(execution)).filter(({ id }) => !memory.sessions.has(id));
  const note =
    dead.length === 0 ? '' : `; ${dead.map(({ id }) => id).join(', ')} is left over from a killed watchdog`;
  if (working !== null) {
    if (view.workingIsOurs) return `${working.status}: ${working.id}${lateText(execution, view)}${note}`;
    return `waiting for the foreign session ${working.id} (${working.status})${note}`;
  }
  if (!memory.open().some(isLive)) return `about to queue${note}`;
  const quiet = input.clock.now() - meters.lastMoveMs;
  if (quiet < QUIET_MS) return `queued${note}`;
  return `nothing moves although sessions are pending; ${whyQuiet(execution)}${note}`;
}
