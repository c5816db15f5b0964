import { cellStanding } from './admission.ts';
import type { Execution, Progress } from './execution.ts';
import { explain, type Situation } from './explain.ts';
import type { View } from './look.ts';

/** So long a wait lasts before anybody is told; `episode` is what a run is for. */
const PATIENCE_MS = { other: 20_000, episode: 60_000 };
/** From then on it is told again. */
const TELL_EVERY_MS = 60_000;

/** Reports progress to the caller: at each change, and again and again while the run waits. */
interface ProgressReporter {
  report(view: View): void;
}

/** Time left is estimated from the cells that this attempt itself finished. */
export function createProgress(execution: Execution): ProgressReporter {
  const { input, memory, meters } = execution;
  const isTold = waitingTold();
  let before = '';
  let reported = memory.judged().length;
  let finishedHere = 0;
  return {
    report(view) {
      const judged = memory.judged();
      const situation = explain(execution, view);
      const notice = isTold(situation, judged.length, input.clock.now());
      const key = `${judged.length} ${memory.open().length} ${situation.text}`;
      if (key === before && !notice) return;
      before = key;
      finishedHere += judged.length - reported;
      const done = input.positions.filter((at) => cellStanding(memory, at, input.settings) === 'done').length;
      const spent = input.clock.now() - meters.beganMs - meters.pausedMs;
      const leftMs = finishedHere === 0 ? null : (spent / finishedHere) * (input.positions.length - done);
      const last = judged.length > reported ? (judged.at(-1) ?? null) : null;
      reported = judged.length;
      const total = input.positions.length;
      const counts = countOutcomes(execution);
      input.onProgress({ done, total, ...counts, leftMs, state: situation.text, last: lastOf(last), notice });
    },
  };
}

/**
 * Whether a wait is to be told now: once it has lasted, every minute from then on, and when the run waits for something
 * else instead. An episode that ended was no wait.
 */
export function waitingTold(): (
  situation: Pick<Situation, 'waitsFor'>,
  judged: number,
  nowMs: number,
) => boolean {
  let kind: Situation['waitsFor'] = null;
  let judgedBefore = 0;
  let sinceMs = 0;
  let toldMs: number | null = null;
  return ({ waitsFor }, judged, nowMs) => {
    if (judged !== judgedBefore || waitsFor === null) {
      judgedBefore = judged;
      kind = waitsFor;
      sinceMs = nowMs;
      toldMs = null;
    } else if (waitsFor !== kind) {
      kind = waitsFor;
      // Who was told of one reason is told of the next at once.
      sinceMs = toldMs === null ? nowMs : Number.NEGATIVE_INFINITY;
      toldMs = null;
    }
    if (kind === null) return false;
    // The silence of a watchdog lasted before it became a reason.
    const patience = kind === 'watchdog' ? 0 : kind === 'episode' ? PATIENCE_MS.episode : PATIENCE_MS.other;
    if (nowMs - (toldMs ?? sinceMs) < (toldMs === null ? patience : TELL_EVERY_MS)) return false;
    toldMs = nowMs;
    return true;
  };
}

function countOutcomes(execution: Execution): { readonly successes: number; readonly valid: number } {
  let successes = 0;
  let valid = 0;
  for (const { judgement } of execution.memory.judged()) {
    if (judgement?.outcome === 'success') successes += 1;
    if (judgement?.outcome === 'success' || judgement?.outcome === 'failure') valid += 1;
  }
  return { successes, valid };
}

function lastOf(session: ReturnType<Execution['memory']['judged']>[number] | null): Progress['last'] {
  if (session?.judgement == null) return null;
  return { sessionId: session.sessionId, position: session.position, judgement: session.judgement };
}
