import { explainedError } from '../outcome/late-answer.ts';
import { consecutiveErrors } from './admission.ts';
import { type Complaint, type Execution, type PauseState, record } from './execution.ts';
import { inquire } from './inquiry.ts';
import { isLive, isUnweighed } from './run-memory.ts';
import { doubt, weigh } from './weigh.ts';

/** Between two questions. One that is refused costs nothing, and a server is up again after seconds. */
const PROBE_EVERY_MS = 5_000;
/** Pauses without a valid episode between them before the run gives up, although everything answers. */
const MAX_ROUNDS = 3;

export function noPause(): PauseState {
  return {
    sinceMs: null,
    outage: false,
    inquiry: null,
    nextProbeMs: 0,
    forgiven: 0,
    verified: 0,
    rounds: 0,
    lastAnswer: null,
  };
}

/** `admit`: queue as usual. `hold`: admit nothing now. `give_up`: end the run, with the reason. */
export type PauseVerdict =
  | { readonly kind: 'admit' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'give_up'; readonly reason: string; readonly cure?: string };

const ADMIT: PauseVerdict = { kind: 'admit' };
const HOLD: PauseVerdict = { kind: 'hold' };

/**
 * After a connection error, and after `max-consecutive-errors` infrastructure errors in a row: admits nothing, lets what
 * is queued end, then asks target and policies. What answers at once was no outage. Otherwise the run is paused until all
 * answer or `host-wait` is over. One that answers as another one than before ends the run.
 */
export async function considerPause(execution: Execution): Promise<PauseVerdict> {
  const { input, memory, pause } = execution;
  const judged = memory.judged();
  const row = consecutiveErrors(judged.slice(pause.forgiven));
  const tooMany = row >= input.settings.maxConsecutiveErrors;
  if (!tooMany && !judged.slice(pause.verified).some(isUnweighed) && !pause.outage) {
    if (row === 0 && judged.length > pause.forgiven) pause.rounds = 0;
    if (pause.sinceMs !== null) await goOn(execution, 'an episode was valid again');
    return ADMIT;
  }
  if (tooMany && pause.sinceMs === null) await begin(execution, `${row} infrastructure errors in a row`);
  if (memory.open().some(isLive)) return HOLD;
  const complaints = ask(execution);
  if (complaints === null) return HOLD;
  const changed = complaints.find((complaint) => complaint.changed);
  if (changed !== undefined) return another(execution, changed.why, await doubt(execution));
  return complaints.length === 0 ? answered(execution) : silent(execution, complaints);
}

/** The answers of a round that ended; null while it lasts, or while none is due. */
function ask({ input, pause }: Execution): readonly Complaint[] | null {
  if (pause.inquiry === null) {
    if (input.clock.now() >= pause.nextProbeMs) pause.inquiry = inquire(input.probes, input.signal);
    return null;
  }
  const { complaints } = pause.inquiry;
  if (complaints === null) return null;
  pause.inquiry = null;
  pause.nextProbeMs = input.clock.now() + PROBE_EVERY_MS;
  return complaints;
}

async function answered(execution: Execution): Promise<PauseVerdict> {
  const { pause, memory } = execution;
  pause.lastAnswer = null;
  // Only a round that found something silent has to be waited out.
  pause.nextProbeMs = 0;
  await weigh(execution, null);
  pause.verified = memory.judged().length;
  if (pause.sinceMs === null) return ADMIT;
  if (pause.rounds > MAX_ROUNDS) {
    const reason = `errors go on although target and policy answer; ${lastError(execution)}`;
    return { kind: 'give_up', reason };
  }
  await goOn(execution, 'target and policy answer');
  return ADMIT;
}

async function silent(execution: Execution, complaints: readonly Complaint[]): Promise<PauseVerdict> {
  const { input, pause } = execution;
  const why = complaints.map((complaint) => complaint.why).join('; ');
  if (pause.sinceMs === null) await begin(execution, why);
  pause.outage = true;
  pause.lastAnswer = why;
  await weigh(execution, why);
  const waitedMs = input.clock.now() - (pause.sinceMs ?? input.clock.now());
  return waitedMs >= input.settings.hostWaitMs ? { kind: 'give_up', reason: why } : HOLD;
}

/** @param doubted sessions that may have asked the new one. */
function another({ input }: Execution, why: string, doubted: readonly string[]): PauseVerdict {
  const cure =
    doubted.length === 0
      ? `Serve the first policy again and resume with --resume ${input.runId}; to measure the new one, start a new run.`
      : 'Some episodes may have asked the new policy, so a resume would mend nothing: start a new run.';
  return { kind: 'give_up', reason: `what is measured is another one now: ${why}`, cure };
}

async function begin(execution: Execution, why: string): Promise<void> {
  const { pause, input, memory } = execution;
  pause.sinceMs = input.clock.now();
  pause.nextProbeMs = 0;
  pause.rounds += 1;
  const row = consecutiveErrors(memory.judged().slice(pause.forgiven));
  const reason = `${why}; ${lastError(execution)}`;
  input.log.warning(`Paused: ${reason}. Nothing is queued until target and policy answer.`);
  await record(execution, { type: 'paused', reason, consecutiveErrors: row });
}

async function goOn(execution: Execution, probe: string): Promise<void> {
  const { pause, input, memory, meters } = execution;
  const pausedMs = pause.sinceMs === null ? 0 : input.clock.now() - pause.sinceMs;
  meters.pausedMs += pausedMs;
  meters.lastMoveMs = input.clock.now();
  pause.sinceMs = null;
  pause.outage = false;
  pause.forgiven = memory.judged().length;
  input.log.info(`Going on after ${Math.round(pausedMs / 1000)} s: ${probe}.`);
  await record(execution, { type: 'continued', pausedMs, probe });
}

function lastError(execution: Execution): string {
  const last = execution.memory.judged().at(-1);
  if (last?.judgement == null) return 'no error is known';
  const { outcome, errorCode, errorMessage } = last.judgement;
  return `last: ${errorCode ?? outcome}${errorMessage === null ? '' : ` (${explainedError(errorMessage).slice(0, 400)})`}`;
}
