import { explainedError } from '../../outcome/late-answer.ts';
import { consecutiveErrors } from './admission.ts';
import { journal, say } from './commands.ts';
import { type Complaint, goOnText } from './job.ts';
import { isLive, isUnweighed } from './run-memory.ts';
import { after, type Decision, type Halt, joined, type Now, type State } from './state.ts';
import { doubted, weigh } from './weigh.ts';

/** Between two questions. One that is refused costs nothing, and a server is up again after seconds. */
const PROBE_EVERY_MS = 5_000;
/** Pauses without a valid episode between them before the run gives up, although everything answers. */
const MAX_ROUNDS = 3;

const ADMIT: Decision = { change: { admits: true } };
const HOLD: Decision = { change: { admits: false } };

/**
 * Rule: after a connection error, and after `max-consecutive-errors` infrastructure errors in a row, admits nothing, lets
 * what is queued end, then asks target and policies. What answers at once was no outage. Otherwise the run is paused
 * until all answer or `host-wait` is over. One that answers as another one than before ends the run. A run that is
 * stopping admits nothing and asks nobody.
 */
export function considerPause(state: State, now: Now): Decision {
  const { job, memory, pause, stopped, capWatch, view } = state;
  if (view.snapshot.fault === null && (stopped !== null || capWatch.reached !== null)) return HOLD;
  const judged = memory.judged();
  const row = consecutiveErrors(judged.slice(pause.forgiven));
  const tooMany = row >= job.settings.maxConsecutiveErrors;
  if (!tooMany && !judged.slice(pause.verified).some(isUnweighed) && !pause.outage) {
    const rounds = row === 0 && judged.length > pause.forgiven ? 0 : pause.rounds;
    const calm: Decision = { change: { pause: { ...pause, rounds } } };
    const going = pause.sinceMs === null ? {} : goOn(after(state, calm), now, 'an episode was valid again');
    return joined(calm, going, ADMIT);
  }
  const begun =
    tooMany && pause.sinceMs === null ? begin(state, now, `${row} infrastructure errors in a row`) : {};
  if (memory.open().some(isLive)) return joined(begun, HOLD);
  return joined(begun, ask(after(state, begun), now));
}

/** Asks when it is due, and acts on the answers of a round that ended. */
function ask(state: State, now: Now): Decision {
  const { pause } = state;
  if (!pause.asking) {
    if (now.ms < pause.nextProbeMs) return HOLD;
    const asked: Decision = {
      change: { pause: { ...pause, asking: true, answers: null } },
      commands: [{ type: 'ask' }],
    };
    return joined(asked, HOLD);
  }
  const { answers } = pause;
  if (answers === null) return HOLD;
  const heard: Decision = {
    change: { pause: { ...pause, asking: false, answers: null, nextProbeMs: now.ms + PROBE_EVERY_MS } },
  };
  const next = after(state, heard);
  const changed = answers.find((complaint) => complaint.changed);
  if (changed !== undefined) return joined(heard, another(next, changed.why));
  return joined(heard, answers.length === 0 ? answered(next, now) : silent(next, answers, now));
}

function answered(state: State, now: Now): Decision {
  const { pause, memory } = state;
  const verified = memory.judged().length;
  // Only a round that found something silent has to be waited out.
  const outage = pause.sinceMs !== null && pause.outage;
  const calm: Decision = {
    change: { pause: { ...pause, outage, lastAnswer: null, nextProbeMs: 0, verified } },
  };
  const weighed = joined(weigh(state, null), calm);
  if (pause.sinceMs === null) return joined(weighed, ADMIT);
  if (pause.rounds > MAX_ROUNDS) {
    const reason = `errors go on although target and policy answer; ${lastError(state)}`;
    return joined(weighed, giveUp({ end: 'incomplete', reason }));
  }
  return joined(weighed, goOn(after(state, calm), now, 'target and policy answer'), ADMIT);
}

function silent(state: State, complaints: readonly Complaint[], now: Now): Decision {
  const why = complaints.map((complaint) => complaint.why).join('; ');
  const begun = state.pause.sinceMs === null ? begin(state, now, why) : {};
  const { pause } = after(state, begun);
  const noted = joined(
    begun,
    { change: { pause: { ...pause, outage: true, lastAnswer: why } } },
    weigh(state, why),
  );
  const waitedMs = now.ms - (pause.sinceMs ?? now.ms);
  const isOver = waitedMs >= state.job.settings.hostWaitMs || complaints.some(({ final }) => final === true);
  return joined(noted, isOver ? giveUp({ end: 'incomplete', reason: why }) : HOLD);
}

/** Sessions that may have asked the new one are doubted. */
function another(state: State, why: string): Decision {
  const conflicts = doubted(state);
  const cure =
    conflicts.length === 0
      ? `Serve the first policy again and go on: ${goOnText(state.job)}; to measure the new one, start a new run.`
      : 'Some episodes may have asked the new policy, so a resume would mend nothing: start a new run.';
  const reason = `what is measured is another one now: ${why}`;
  const noted: Decision = { commands: [journal(...conflicts)] };
  return joined(noted, giveUp({ end: 'incomplete', reason, cure }));
}

function giveUp(halt: Halt): Decision {
  return { change: { halt, next: 'stopping' } };
}

function begin(state: State, now: Now, why: string): Decision {
  const { pause, memory } = state;
  const row = consecutiveErrors(memory.judged().slice(pause.forgiven));
  const reason = `${why}; ${lastError(state)}`;
  const text = `Paused: ${reason}. Nothing is queued until target and policy answer.`;
  return {
    change: { pause: { ...pause, sinceMs: now.ms, nextProbeMs: 0, rounds: pause.rounds + 1 } },
    commands: [say('warning', text), journal({ type: 'paused', reason, consecutiveErrors: row })],
  };
}

function goOn({ pause, memory, meters }: State, now: Now, probe: string): Decision {
  const pausedMs = pause.sinceMs === null ? 0 : now.ms - pause.sinceMs;
  const text = `Going on after ${Math.round(pausedMs / 1000)} s: ${probe}.`;
  return {
    change: {
      pause: { ...pause, sinceMs: null, outage: false, forgiven: memory.judged().length },
      meters: { ...meters, pausedMs: meters.pausedMs + pausedMs, lastMoveMs: now.ms },
    },
    commands: [say('info', text), journal({ type: 'continued', pausedMs, probe })],
  };
}

function lastError({ memory }: State): string {
  const last = memory.judged().at(-1);
  if (last?.judgement == null) return 'no error is known';
  const { outcome, errorCode, errorMessage } = last.judgement;
  return `last: ${errorCode ?? outcome}${errorMessage === null ? '' : ` (${explainedError(errorMessage).slice(0, 400)})`}`;
}
