import type { Outcome } from '../model/episode-record.ts';
import type { JournalEvent } from '../model/journal-events.ts';
import { decidingSession } from '../outcome/build-records.ts';
import { percentOfRate } from '../stats/rounding.ts';
import { savedShare } from '../verdict/early-stop.ts';
import type { StopState } from '../verdict/stop-walk.ts';
import { type AdmissionRules, cellStanding } from './admission.ts';
import { type Execution, record } from './execution.ts';
import { isLive, type RunMemory } from './run-memory.ts';
import { withdrawPending } from './withdraw.ts';

/** Larger e-values say nothing more, and JSON holds no infinity. */
const MOST_EVIDENCE = 1e12;

/** How far an execution is with stopping. */
export interface Stopping {
  /** Null until the verdict is proven. */
  state: StopState | null;
  /** Our pending entries are out of the queue, as far as the watchdog had not claimed them. */
  withdrawn: boolean;
}

export function notStopping(): Stopping {
  return { state: null, withdrawn: false };
}

/**
 * Asks the early stop about every cell whose outcome stands, in planned order. When the verdict is proven: says so once,
 * and takes our pending sessions back. True from then on: nothing is admitted any more, and what runs may end.
 */
export async function considerStop(execution: Execution): Promise<boolean> {
  const { input, memory, stopping } = execution;
  if (input.earlyStop == null) return false;
  if (stopping.state === null) {
    const state = input.earlyStop.advance((at) => settledOutcome(memory, at, input.settings));
    // At the very last look nothing is left to be saved.
    if (state.decision === null || state.prefix === state.planned) return false;
    await record(execution, stopEvent(state, state.decision));
    stopping.state = state;
    input.log.info(
      `Stopping early: ${state.decision} is proven after ${state.prefix} of ${state.planned} cells in planned order, ${percentOfRate(savedShare(state))}% before the end.`,
    );
  }
  if (!stopping.withdrawn) {
    stopping.withdrawn = await withdrawPending(execution, `early stop: ${stopping.state.decision} is proven`);
  }
  return true;
}

/** Nothing of a stopped run is in the queue any more, and everything that ended is collected. */
export function isStoppedClean({ memory, stopping }: Execution): boolean {
  return (
    stopping.withdrawn && !memory.open().some((session) => isLive(session) || session.phase === 'settled')
  );
}

/** The outcome of a cell that will not change: the one its record will have. Null while a session is to come. */
function settledOutcome(memory: RunMemory, position: number, rules: AdmissionRules): Outcome | null {
  if (cellStanding(memory, position, rules) !== 'done') return null;
  const judged = memory
    .sessionsOf(position)
    .flatMap(({ judgement, sessionAttempt }) =>
      judgement === null ? [] : [{ ...judgement, sessionAttempt }],
    )
    .toSorted((left, right) => left.sessionAttempt - right.sessionAttempt);
  return decidingSession(judged, ({ outcome }) => outcome)?.outcome ?? null;
}

function stopEvent(state: StopState, decision: 'PASS' | 'FAIL'): JournalEvent {
  const { prefix, planned, skipped, successes, valid, pairs, regressed, fixed } = state;
  const bounded = (value: number | null): number | null =>
    value === null ? null : Math.min(value, MOST_EVIDENCE);
  return {
    type: 'early_stop',
    decision,
    prefix,
    planned,
    skipped,
    successes,
    valid,
    pairs,
    regressed,
    fixed,
    gates: state.gates.map(({ gate, state: known, worse, notInferior, test }) => ({
      gate,
      state: known,
      worse: bounded(worse),
      notInferior: bounded(notInferior),
      ...(test === undefined ? {} : { test }),
    })),
  };
}
