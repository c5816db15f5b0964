import { explainedError } from '../outcome/late-answer.ts';
import { consecutiveErrors } from './admission.ts';
import { type Execution, type PauseState, type Probe, record } from './execution.ts';
import { isLive } from './run-memory.ts';

const PROBE_EVERY_MS = 15_000;
/** Pauses without a valid episode between them before the run gives up, although everything answers. */
const MAX_ROUNDS = 3;

export function noPause(): PauseState {
  return { sinceMs: null, nextProbeMs: 0, forgiven: 0, rounds: 0, lastAnswer: null };
}

/** `admit`: queue as usual. `hold`: admit nothing now. `give_up`: end the run, with the reason. */
export type PauseVerdict =
  | { readonly kind: 'admit' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'give_up'; readonly reason: string };

/**
 * After `max-consecutive-errors` infrastructure errors in a row: admit nothing, let what is queued end, then ask target
 * and policy until both answer or `host-wait` is over.
 */
export async function considerPause(execution: Execution): Promise<PauseVerdict> {
  const { input, memory, pause } = execution;
  const { maxConsecutiveErrors, hostWaitMs } = input.settings;
  const row = consecutiveErrors(memory.judged().slice(pause.forgiven));
  const now = input.clock.now();
  if (row < maxConsecutiveErrors) {
    if (row === 0 && memory.judged().length > pause.forgiven) pause.rounds = 0;
    if (pause.sinceMs !== null) await goOn(execution, 'an episode was valid again');
    return { kind: 'admit' };
  }
  if (pause.sinceMs === null) await begin(execution, row);
  if (memory.open().some(isLive)) return { kind: 'hold' };
  if (pause.rounds > MAX_ROUNDS) {
    return {
      kind: 'give_up',
      reason: `errors go on although target and policy answer; ${lastError(execution)}`,
    };
  }
  if (now >= pause.nextProbeMs) {
    pause.lastAnswer = await askAll(input.probes, input.signal);
    pause.nextProbeMs = input.clock.now() + PROBE_EVERY_MS;
    if (pause.lastAnswer === null && !input.signal.aborted) {
      await goOn(execution, 'target and policy answer');
      return { kind: 'admit' };
    }
  }
  if (pause.sinceMs !== null && now - pause.sinceMs >= hostWaitMs) {
    return { kind: 'give_up', reason: pause.lastAnswer ?? 'target and policy did not answer' };
  }
  return { kind: 'hold' };
}

async function begin(execution: Execution, row: number): Promise<void> {
  const { pause, input } = execution;
  pause.sinceMs = input.clock.now();
  pause.nextProbeMs = pause.sinceMs;
  pause.rounds += 1;
  const reason = `${row} infrastructure errors in a row; ${lastError(execution)}`;
  input.log.warning(`Paused: ${reason}. Nothing is queued until target and policy answer.`);
  await record(execution, { type: 'paused', reason, consecutiveErrors: row });
}

async function goOn(execution: Execution, probe: string): Promise<void> {
  const { pause, input, memory, meters } = execution;
  const pausedMs = pause.sinceMs === null ? 0 : input.clock.now() - pause.sinceMs;
  meters.pausedMs += pausedMs;
  meters.lastMoveMs = input.clock.now();
  pause.sinceMs = null;
  pause.forgiven = memory.judged().length;
  input.log.info(`Going on after ${Math.round(pausedMs / 1000)} s: ${probe}.`);
  await record(execution, { type: 'continued', pausedMs, probe });
}

/** First complaint, null when all answer. A stop does not wait for an answer. */
async function askAll(probes: readonly Probe[], signal: AbortSignal): Promise<string | null> {
  const stopped = new Promise<string>((resolve) => {
    if (signal.aborted) resolve('interrupted');
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
  for (const probe of probes) {
    const answer = await Promise.race([probe(), stopped]);
    if (answer !== null) return answer;
  }
  return null;
}

function lastError(execution: Execution): string {
  const last = execution.memory.judged().at(-1);
  if (last?.judgement == null) return 'no error is known';
  const { outcome, errorCode, errorMessage } = last.judgement;
  return `last: ${errorCode ?? outcome}${errorMessage === null ? '' : ` (${explainedError(errorMessage).slice(0, 400)})`}`;
}
