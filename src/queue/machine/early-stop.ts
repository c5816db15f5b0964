import type { Outcome } from '../../model/episode-record.ts';
import { decidingSession } from '../../outcome/build-records.ts';
import { percentOfRate } from '../../stats/rounding.ts';
import { savedShare } from '../../verdict/early-stop.ts';
import type { StopState } from '../../verdict/early-stop-walk.ts';
import { type AdmissionRules, cellStanding } from './admission.ts';
import { journal, say } from './commands.ts';
import { isLive, type RunMemory } from './run-memory.ts';
import type { Decision, ProvenStop, State } from './state.ts';

/** Larger e-values say nothing more, and JSON holds no infinity. */
const MOST_EVIDENCE = 1e12;

/**
 * Rule: asks the early stop about every cell whose outcome stands, in planned order. When the verdict is proven, says so
 * once; from then on nothing is admitted, our pending sessions are taken back, and what runs may end.
 */
export function considerStop(state: State): Decision {
  const { job, memory, stopped } = state;
  if (job.earlyStop === null || stopped !== null || state.view.snapshot.fault !== null) return {};
  // The process never looks at a cell twice, but what it knows follows from outcomes and order alone.
  const found = job.earlyStop.advance((at) => settledOutcome(memory, at, job.settings));
  // At the very last look nothing is left to be saved.
  if (found.decision === null || found.prefix === found.planned) return {};
  const event = stopEvent(found, found.decision);
  const text = `Stopping early: ${found.decision} is proven after ${found.prefix} of ${found.planned} cells in planned order, ${percentOfRate(savedShare(found))}% before the end.`;
  return {
    change: { stopped: event },
    commands: [journal(event), say('info', text)],
  };
}

/** Nothing of a stopped run is in the queue any more, and everything that ended is collected. */
export function isStoppedClean({ memory, stopped, withdrawn }: State): boolean {
  const isLeft = memory.open().some((session) => isLive(session) || session.phase === 'settled');
  return stopped !== null && withdrawn && !isLeft;
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

function stopEvent(state: StopState, decision: 'PASS' | 'FAIL'): ProvenStop {
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
