import type { Execution } from './execution.ts';
import { whyQuiet } from './explain.ts';
import type { View } from './look.ts';
import { overdueSession } from './overdue.ts';
import { isLive } from './run-memory.ts';
import { RUNNING_GRACE_MS } from './snapshot.ts';

/** Why a run ends before its last cell. */
export interface Halt {
  readonly end: 'interrupted' | 'incomplete';
  readonly reason: string;
  /** What to change, when resuming as it is would end at the same place; left out when a resume goes on. */
  readonly cure?: string;
}

/** What was measured so far stays INVALID, so going on would only cost the host. */
const UNSWAP = 'Let each policy keep its address for the whole run, and start a new run.';

/** Errors of the target that say a planned cell cannot exist there; every later one like it would fail too. */
const IMPOSSIBLE_CELL = /\b(?:IndexError|KeyError)\b.*/;

/** The first stop condition that holds, null while the run may go on. Reads, changes nothing. */
export function haltReason(execution: Execution, view: View): Halt | null {
  const { input } = execution;
  if (input.signal.aborted) return { end: 'interrupted', reason: 'the run was interrupted' };
  const impossible = impossibleCell(execution);
  if (impossible !== null) return { end: 'incomplete', ...impossible };
  const swap = input.recorder?.swapped() ?? null;
  if (swap !== null) return { end: 'incomplete', reason: `the arms changed places: ${swap}`, cure: UNSWAP };
  const reason = overrun(execution, view) ?? stalled(execution, view) ?? outOfTime(execution);
  return reason === null ? null : { end: 'incomplete', reason };
}

/** The runtime tells only by failing that an initial state or task does not exist; the first such answer stops the run. */
function impossibleCell(execution: Execution): Pick<Halt, 'reason' | 'cure'> | null {
  const last = execution.memory.judged().at(-1);
  const { errorCode = null, errorMessage = null } = last?.judgement ?? {};
  if (last === undefined || errorCode !== 'TARGET_PROTOCOL') return null;
  const found = IMPOSSIBLE_CELL.exec(errorMessage ?? '');
  if (found === null) return null;
  const cell = execution.input.plan.cells[last.position];
  return {
    reason: `the target has no task ${cell?.taskId} with initial state ${cell?.initStateId}: ${found[0].slice(0, 200)}`,
    cure: `Leave it out with \`tasks\` or \`init-states\`, or add it to the target's suite, and start a new run; resuming this one would end at the same cell.`,
  };
}

/** A session of ours runs on beyond its time limit and the grace: the watchdog does not end it. */
function overrun(execution: Execution, view: View): string | null {
  const late = overdueSession(execution, view, RUNNING_GRACE_MS);
  if (late === null) return null;
  const limit = execution.input.settings.sessionTimeoutMs + RUNNING_GRACE_MS;
  const why = execution.meters.diagnosis.answer ?? 'the watchdog does not end it';
  return `session ${late.sessionId} has been running for more than ${Math.round(limit / 1000)} s; ${why}`;
}

/** Counts only while nothing runs, so foreign sessions and paused time never stall us. */
function stalled(execution: Execution, view: View): string | null {
  const { input, memory, meters, pause } = execution;
  if (view.working !== null || pause.sinceMs !== null || !memory.open().some(isLive)) return null;
  const still = input.clock.now() - meters.lastMoveMs;
  if (still <= input.settings.stallTimeoutMs) return null;
  const fault =
    view.snapshot.fault === null ? whyQuiet(execution) : `SESSIONS.md is refused: ${view.snapshot.fault}`;
  return `nothing has moved for ${Math.round(still / 1000)} s while sessions are pending; ${fault}`;
}

function outOfTime(execution: Execution): string | null {
  const { input, meters } = execution;
  const { runTimeoutMs } = input.settings;
  if (runTimeoutMs === null) return null;
  const spent = input.clock.now() - meters.beganMs - meters.foreignMs;
  return spent > runTimeoutMs ? `run-timeout: ${Math.round(spent / 1000)} s are over` : null;
}
