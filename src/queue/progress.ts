import type { Arm, Plan } from '../model/plan.ts';
import { validOutcome } from '../verdict/pairing.ts';
import type { ArmCount, ExecutionInput, Progress } from './execution.ts';
import { cellStanding } from './machine/admission.ts';
import { explain, type Situation } from './machine/explain.ts';
import type { SessionMemory } from './machine/run-memory.ts';
import { standing } from './machine/snapshot.ts';
import type { Now, State } from './machine/state.ts';

/** So long a wait lasts before anybody is told. */
const PATIENCE_MS = 20_000;
/** An episode is what a run is for: it may last this much longer than those before it, up to the limits. */
const EPISODE_PATIENCE = { times: 1.5, longerMs: 5_000, atMostMs: 60_000 };
/** Of an episode that would have ended by then nobody waits longer for a word, as when the target has stopped. */
const FIRST_WORD_MS = 30_000;
/** From then on it is told again. */
const TELL_EVERY_MS = 60_000;

/** Reports progress to the caller: at each change, and again and again while the run waits. */
export interface ProgressReporter {
  report(state: State, now: Now): void;
}

/** Time left is estimated from the cells that this attempt itself finished. */
export function createProgress({
  onProgress,
  onOthers,
}: Pick<ExecutionInput, 'onProgress' | 'onOthers'>): ProgressReporter {
  const isTold = waitingTold();
  let before = '';
  let reported: number | null = null;
  return {
    report(state, now) {
      if (state.view.snapshot.fault === null) onOthers?.(othersIn(state));
      const { job, memory, judgedBefore } = state;
      const judged = memory.judged();
      const situation = explain(state, now);
      const notice = isTold(situation, judged.length, now.ms);
      const key = `${judged.length} ${memory.open().length} ${situation.text}`;
      if (key === before && !notice) return;
      before = key;
      const total = job.positions.length;
      const done = job.positions.filter((at) => cellStanding(memory, at, job.settings) === 'done').length;
      const last = judged.length > (reported ?? judgedBefore) ? lastOf(judged.at(-1)) : null;
      reported = judged.length;
      const leftMs = timeLeft(state, total - done, now);
      const counts = countOutcomes(judged, job.plan);
      onProgress({ done, total, counts, leftMs, state: situation.text, last, notice });
    },
  };
}

function othersIn({ view, memory }: State): number {
  return view.snapshot.entries.filter(
    ({ id, status }) => standing(status) !== 'terminal' && !memory.sessions.has(id),
  ).length;
}

function timeLeft({ memory, meters, judgedBefore }: State, cells: number, now: Now): number | null {
  const finishedHere = memory.judged().length - judgedBefore;
  const spent = now.ms - meters.beganMs - meters.pausedMs - meters.yieldedMs;
  return finishedHere === 0 ? null : (spent / finishedHere) * cells;
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
  let episodeMs = 0;
  return ({ waitsFor }, judged, nowMs) => {
    if (judged !== judgedBefore || waitsFor === null) {
      if (kind === 'episode') episodeMs = Math.max(episodeMs, nowMs - sinceMs);
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
    // The silence of a watchdog, or a session without its end, lasted before it became a reason.
    const patience =
      kind === 'watchdog' || kind === 'overdue'
        ? 0
        : kind === 'episode'
          ? patienceFor(episodeMs)
          : PATIENCE_MS;
    if (nowMs - (toldMs ?? sinceMs) < (toldMs === null ? patience : TELL_EVERY_MS)) return false;
    toldMs = nowMs;
    return true;
  };
}

/** @param longestMs the longest episode so far, as this run waited for it; 0 before the first */
function patienceFor(longestMs: number): number {
  const { times, longerMs, atMostMs } = EPISODE_PATIENCE;
  const late = Math.max(FIRST_WORD_MS, longestMs + longerMs);
  return Math.max(PATIENCE_MS, Math.min(times * longestMs, late, atMostMs));
}

/** As the results will count them. */
function countOutcomes(judged: readonly SessionMemory[], { cells, timeoutsAs }: Plan): readonly ArmCount[] {
  const arms: readonly Arm[] = ['candidate', 'baseline'];
  return arms.flatMap((arm) => {
    const valid = judged
      .filter(({ position }) => cells[position]?.arm === arm)
      .map(({ judgement }) => (judgement == null ? null : validOutcome(judgement.outcome, timeoutsAs)))
      .filter((outcome) => outcome !== null);
    const successes = valid.filter(Boolean).length;
    return valid.length === 0 ? [] : [{ arm, successes, valid: valid.length }];
  });
}

function lastOf(session: SessionMemory | undefined): Progress['last'] {
  if (session?.judgement == null) return null;
  return { sessionId: session.sessionId, position: session.position, judgement: session.judgement };
}
