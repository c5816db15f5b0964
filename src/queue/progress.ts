import { cellStanding } from './admission.ts';
import type { Execution } from './execution.ts';
import { explain } from './explain.ts';
import type { View } from './look.ts';

/** Reports progress to the caller, once per change. */
export interface ProgressReporter {
  report(view: View): void;
}

/** Time left is estimated from the cells that this attempt itself finished. */
export function createProgress(execution: Execution): ProgressReporter {
  const { input, memory, meters } = execution;
  let before = '';
  let reported = memory.judged().length;
  let finishedHere = 0;
  return {
    report(view) {
      const done = input.positions.filter((at) => cellStanding(memory, at, input.settings) === 'done').length;
      const judged = memory.judged();
      finishedHere += judged.length - reported;
      const state = explain(execution, view);
      const key = `${done} ${judged.length} ${state}`;
      if (key === before) return;
      before = key;
      const counts = countOutcomes(execution);
      const spent = input.clock.now() - meters.beganMs - meters.pausedMs;
      const leftMs = finishedHere === 0 ? null : (spent / finishedHere) * (input.positions.length - done);
      const last = judged.length > reported ? (judged.at(-1) ?? null) : null;
      reported = judged.length;
      input.onProgress({ done, total: input.positions.length, ...counts, leftMs, state, last: lastOf(last) });
    },
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

function lastOf(
  session: ReturnType<Execution['memory']['judged']>[number] | null,
): Parameters<Execution['input']['onProgress']>[0]['last'] {
  if (session?.judgement == null) return null;
  return { sessionId: session.sessionId, position: session.position, judgement: session.judgement };
}
