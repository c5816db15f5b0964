import { journal } from './commands.ts';
import { overdueSession, whyQuiet } from './explain.ts';
import { goOnText } from './job.ts';
import { isLive } from './run-memory.ts';
import { RUNNING_GRACE_MS } from './snapshot.ts';
import type { Decision, Halt, Now, State } from './state.ts';
import { stuckSession, stuckText } from './stuck.ts';

/** What was measured so far stays INVALID, so going on would only cost the host. */
const ONE_POLICY = 'Let each policy keep its address for the whole run, and start a new run.';

/** Errors of the target that say a planned cell cannot exist there; every later one like it would fail too. */
const IMPOSSIBLE_CELL = /\b(?:IndexError|KeyError)\b.*/;

/** Rule: the first stop condition that holds ends the run. */
export function considerHalt(state: State, now: Now): Decision {
  const halt = haltReason(state, now);
  return halt === null ? {} : { change: { halt, next: 'suspect' } };
}

function haltReason(state: State, now: Now): Halt | null {
  if (now.interrupted) return { end: 'interrupted', reason: 'the run was interrupted' };
  const impossible = impossibleCell(state);
  if (impossible !== null) return { end: 'incomplete', ...impossible };
  const { otherPolicy } = state;
  if (otherPolicy !== null) {
    const what = otherPolicy.isOtherArm
      ? 'the arms changed places'
      : 'what is measured is another policy now';
    return { end: 'incomplete', reason: `${what}: ${otherPolicy.text}`, cure: ONE_POLICY };
  }
  const reason = overrun(state, now) ?? stalled(state, now) ?? outOfTime(state, now);
  return reason === null ? null : { end: 'incomplete', reason };
}

/** The runtime tells only by failing that an initial state or task does not exist; the first such answer stops the run. */
function impossibleCell({ job, memory }: State): Pick<Halt, 'reason' | 'cure'> | null {
  const last = memory.judged().at(-1);
  const { errorCode = null, errorMessage = null } = last?.judgement ?? {};
  if (last === undefined || errorCode !== 'TARGET_PROTOCOL') return null;
  const found = IMPOSSIBLE_CELL.exec(errorMessage ?? '');
  if (found === null) return null;
  const cell = job.plan.cells[last.position];
  return {
    reason: `the target has no task ${cell?.taskId} with initial state ${cell?.initStateId}: ${found[0].slice(0, 200)}`,
    cure: `Leave it out with \`tasks\` or \`init-states\`, or add it to the target's suite, and start a new run; resuming this one would end at the same cell.`,
  };
}

/** A session of ours runs on beyond its time limit and the grace: the watchdog does not end it. */
function overrun(state: State, now: Now): string | null {
  const late = overdueSession(state, now, RUNNING_GRACE_MS);
  if (late === null) return null;
  const limit = state.job.settings.sessionTimeoutMs + RUNNING_GRACE_MS;
  const why = state.meters.diagnosis.answer ?? 'the watchdog does not end it';
  return `session ${late.sessionId} has been running for more than ${Math.round(limit / 1000)} s; ${why}`;
}

/** Counts only while nothing runs, so foreign sessions and paused time never stall us. */
function stalled(state: State, now: Now): string | null {
  const { job, memory, meters, pause, view } = state;
  if (view.working !== null || pause.sinceMs !== null || !memory.open().some(isLive)) return null;
  const still = now.ms - meters.lastMoveMs;
  if (still <= job.settings.stallTimeoutMs) return null;
  const { fault } = view.snapshot;
  const why = fault === null ? whyQuiet(state) : `SESSIONS.md is refused: ${fault}`;
  return `nothing has moved for ${Math.round(still / 1000)} s while sessions are pending; ${why}`;
}

function outOfTime({ job, meters }: State, now: Now): string | null {
  const { runTimeoutMs } = job.settings;
  if (runTimeoutMs === null) return null;
  const spent = now.ms - meters.beganMs - meters.foreignMs - meters.yieldedMs;
  return spent > runTimeoutMs ? `run-timeout: ${Math.round(spent / 1000)} s are over` : null;
}

/**
 * Rule: an incomplete run looks whether the outcome of one of its sessions is unknown. An interrupted run never does: its
 * session may be running well.
 */
export function suspect({ halt, view }: State): Decision {
  const asks = halt?.end === 'incomplete' && view.snapshot.fault === null;
  return asks ? { commands: [{ type: 'when_changed' }] } : {};
}

/** Reaction: fences the host over a session of ours whose outcome is unknown, and says so. */
export function suspected(state: State, changedMs: readonly (number | null)[], now: Now): Decision {
  const { job, memory, view, halt } = state;
  const moment = { nowMs: now.ms, snapshot: view.snapshot, changedMs };
  const entry = stuckSession(new Set(memory.sessions.keys()), moment, job.settings.sessionTimeoutMs);
  if (entry === null || halt === null) return {};
  const { id: sessionId, status, updatedAt: since } = entry;
  return {
    change: {
      halt: {
        ...halt,
        reason: `${halt.reason}; the outcome of ${sessionId} is unknown, so the host is fenced`,
        cure: `Restart the watchdog and clear the fence (\`rollout-bench fence\`); then go on: ${goOnText(job)}.`,
      },
    },
    commands: [
      { type: 'fence', entry },
      journal({ type: 'fenced', sessionId, status, since, reason: stuckText(entry) }),
    ],
  };
}
