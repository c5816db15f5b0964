import { type Cell, isHeldOutPlan } from '../../model/plan.ts';
import { numbersOfPlan, placeOf } from '../../plan/held-out-list.ts';
import { heldOutSessionId, sessionId } from '../../plan/ids.ts';
import type { CellTarget } from './edits.ts';
import type { Job } from './job.ts';
import { type SessionEntry, sessionEntry } from './session-entry.ts';

/** What sessions are made of. */
type Source = Pick<Job, 'runId' | 'plan' | 'endpoints'>;

/** The cell at a position of the plan. @throws RangeError for a position the plan does not have (a bug). */
export function cellAt(input: Pick<Source, 'plan'>, position: number): Cell {
  const cell = input.plan.cells[position];
  if (cell === undefined) throw new RangeError(`the plan has no cell at position ${position}`);
  return cell;
}

/** The entry of a session of ours, as it was or is to be queued: the same inputs always give the same entry. */
export function entryFor(
  input: Source,
  place: {
    readonly sessionId: string;
    readonly position: number;
    readonly cellTarget: string;
    readonly relay: string | null;
  },
): SessionEntry {
  const cell = cellAt(input, place.position);
  const task = input.plan.tasks.find(({ taskId }) => taskId === cell.taskId);
  return sessionEntry({
    runId: input.runId,
    sessionId: place.sessionId,
    cellTarget: place.cellTarget,
    skillruntime: input.plan.skillruntime,
    language: task?.language ?? '',
    limits: input.plan.limits,
    policyEndpoint: place.relay ?? input.endpoints.policy[cell.arm] ?? '',
    targetEndpoint: input.endpoints.target,
  });
}

/** A session about to be queued. */
export interface NewSession {
  readonly sessionId: string;
  readonly sessionAttempt: number;
  readonly position: number;
  readonly target: CellTarget;
  /** As in `SessionMemory`. */
  readonly relay: string | null;
}

/**
 * The next id of a cell that was never used: one after the highest known, and beyond every id that `isTaken` (an
 * artifact folder or an entry of that name would be overwritten or block the queue).
 */
export async function freshId(
  input: Source,
  place: { readonly position: number; readonly used: readonly number[] },
  isTaken: (id: string) => Promise<boolean>,
): Promise<{ readonly sessionId: string; readonly sessionAttempt: number }> {
  const cell = cellAt(input, place.position);
  for (let attempt = Math.max(-1, ...place.used) + 1; ; attempt += 1) {
    const id = idOf(input, cell, attempt);
    if (!(await isTaken(id))) return { sessionId: id, sessionAttempt: attempt };
  }
}

function idOf({ runId, plan }: Source, cell: Cell, attempt: number): string {
  if (!isHeldOutPlan(plan)) return sessionId(runId, cell, attempt);
  const number = numbersOfPlan(plan).get(placeOf(cell));
  if (number === undefined) throw new Error('a held-out cell without a number');
  return heldOutSessionId(runId, { ...cell, number }, attempt);
}
