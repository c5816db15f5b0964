import { roughDuration } from '../../base/rough-duration.ts';
import { isFinished } from './admission.ts';
import { noteUsage } from './caps.ts';
import { journal, type Lent, ledger, say } from './commands.ts';
import type { Meters } from './meters.ts';
import { idleTargets } from './standing-targets.ts';
import { type Decision, joined, type Now, type State } from './state.ts';
import { withdrawPending } from './withdraw.ts';

/**
 * Rule: between two episodes the lane goes to whoever waits and passes. From then on nothing is admitted, our pending
 * sessions are taken back, and what the watchdog has claimed may end; the lane is lent when nothing of ours is in the
 * queue any more. Not while the run is paused, is ending, or has run no episode since it took the lane.
 */
export function considerYield(state: State, now: Now): Decision {
  const { admits, view, memory, job, givingWay } = state;
  if (view.snapshot.fault !== null || !admits || isFinished(memory, job.positions, job.settings)) return {};
  const { wanted } = view;
  if (wanted === null) return givingWay.to === null ? {} : { change: { givingWay: notNow(state) } };
  if (memory.judged().length <= givingWay.judgedBefore) return {};
  const begun: Decision =
    givingWay.to === null
      ? {
          change: { admits: false, givingWay: { ...givingWay, to: wanted, isOut: false } },
          commands: [
            say('info', `${wanted} waits for the host and gets it once what the watchdog runs has ended.`),
          ],
        }
      : { change: { admits: false } };
  if (!givingWay.isOut) return joined(begun, takenBack(state, begun, wanted, now));
  return memory.open().length > 0 || idleTargets(state, [], now).length > 0
    ? begun
    : joined(begun, lend(state, wanted, now));
}

function takenBack(state: State, { change }: Decision, wanted: string, now: Now): Decision {
  return withdrawPending({ ...state, ...change }, 'yield', `the host goes to ${wanted}`, now);
}

function lend(state: State, wanted: string, now: Now): Decision {
  return joined(noteUsage(state, now), {
    commands: [
      journal({ type: 'yielded', to: wanted }),
      say('info', `The host goes to ${wanted}; this run goes on right after it.`),
      { type: 'give_way' },
    ],
  });
}

/**
 * Reaction: goes on where it was. Target and policies are asked before anything is queued, and others may have taken out
 * cell targets of ours. A run whose host is another one now ends, and an interrupted one does nothing more, since the host
 * is not its own.
 */
export function back(state: State, lent: Lent | null, now: Now): Decision {
  const { meters, pause, job } = state;
  const givingWay = notNow(state);
  if (lent === null) return { change: { givingWay, next: 'look' } };
  const { yieldedMs, refusal } = lent;
  const goes: Partial<State> =
    refusal === null
      ? { next: 'look', pause: { ...pause, outage: true, nextProbeMs: 0 } }
      : { next: 'stopping', halt: { end: 'incomplete', reason: refusal } };
  const after = refusal === null ? 'going on' : 'this run cannot go on';
  const { runId, again, attempt, bundleDir } = job;
  return {
    change: { givingWay, meters: metersAfter(meters, yieldedMs, now), ...goes },
    commands: [
      ledger({ type: 'run', runId, attempt, bundleDir, ...(again === undefined ? {} : { again }) }),
      journal({ type: 'regained', yieldedMs }),
      say('info', `The host is ours again after ${roughDuration(yieldedMs / 1000)}; ${after}.`),
      { type: 'read_ledger' },
    ],
  };
}

/** What others did meanwhile is no time of this run. */
function metersAfter(meters: Meters, yieldedMs: number, now: Now): Meters {
  return {
    ...meters,
    yields: meters.yields + 1,
    yieldedMs: meters.yieldedMs + yieldedMs,
    lastMoveMs: now.ms,
    lastLookMs: now.ms,
    foreignRan: false,
    lastWorking: null,
  };
}

function notNow({ memory }: State): State['givingWay'] {
  return { to: null, isOut: false, judgedBefore: memory.judged().length };
}
