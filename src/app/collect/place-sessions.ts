import { type Cell, cellKey } from '../../model/plan.ts';
import { isRetryable } from '../../outcome/classify.ts';
import { beyondWanted, type Wanted, wantedCells } from '../../plan/wanted.ts';
import type { AttributedSession } from './attribute.ts';
import type { FinishedSession } from './finished-session.ts';

export interface Member {
  readonly session: AttributedSession;
  /** Index of its cell, and its number among the sessions of that cell. */
  readonly position: number;
  readonly attempt: number;
  /** The first attempt that it tries again for a verifier; null: it is one. */
  readonly replanOf: string | null;
}

interface Placed {
  readonly cells: readonly Cell[];
  readonly members: readonly Member[];
}

/**
 * Cells for sessions. Without a wanted count every session is a cell of its own, and a state that ran again is another
 * run of it. With one the cells are those that were meant: what nobody ran is there and stays open, and a session
 * after an error of the infrastructure is another try of the same cell. Pure.
 * @throws RbError RB525 for sessions that were not meant.
 */
export function placeSessions(sessions: readonly AttributedSession[], wanted: Wanted | null): Placed {
  return wanted === null ? eachItsOwn(sessions) : intoWanted(sessions, wanted);
}

function eachItsOwn(sessions: readonly AttributedSession[]): Placed {
  const runs = new Map<string, number>();
  const cells = sessions.map(({ cell: { taskId, initStateId } }): Cell => {
    const key = `${taskId} ${initStateId}`;
    const runIndex = runs.get(key) ?? 0;
    runs.set(key, runIndex + 1);
    return { taskId, initStateId, runIndex, arm: 'candidate' };
  });
  return {
    cells,
    members: sessions.map((session, position) => ({ session, position, attempt: 0, replanOf: null })),
  };
}

function intoWanted(sessions: readonly AttributedSession[], wanted: Wanted): Placed {
  const cells = wantedCells(wanted);
  const places = new Map(cells.map((cell, position) => [cellKey(cell), position]));
  const byCell = new Map<string, AttributedSession[]>();
  for (const session of sessions) {
    const key = `${session.cell.taskId} ${session.cell.initStateId}`;
    byCell.set(key, [...(byCell.get(key) ?? []), session]);
  }
  const members: Member[] = [];
  const beyond: string[] = [];
  for (const own of byCell.values()) {
    let runIndex = 0;
    let attempt = 0;
    for (const session of own.toSorted(byTime)) {
      const { taskId, initStateId } = session.cell;
      const position = places.get(cellKey({ taskId, initStateId, runIndex, arm: 'candidate' }));
      if (position === undefined) {
        const again = runIndex > 0 ? `, again: that cell was planned ${timesText(runIndex)}` : '';
        beyond.push(`${session.sessionId} (task ${taskId}, initial state ${initStateId}${again})`);
        continue;
      }
      members.push({ session, position, attempt, replanOf: null });
      if (isRetryable(session.found.outcome)) attempt += 1;
      else {
        runIndex += 1;
        attempt = 0;
      }
    }
  }
  if (beyond.length > 0) throw beyondWanted(wanted, sessions[0]?.cell.suite ?? 'unknown', beyond.toSorted());
  return { cells, members: members.toSorted((left, right) => left.position - right.position) };
}

/**
 * The members with those that tried an episode again for a verifier: sessions of the same cell, behind all of its own, which
 * never decide it. Pure.
 */
export function withReplans(
  members: readonly Member[],
  replans: ReadonlyMap<string, readonly FinishedSession[]>,
): readonly Member[] {
  const next = new Map<number, number>();
  for (const { position, attempt } of members)
    next.set(position, Math.max(next.get(position) ?? 0, attempt + 1));
  const further = members.flatMap(({ session: { sessionId, cell }, position }) =>
    (replans.get(sessionId) ?? []).map((session): Member => {
      const attempt = next.get(position) ?? 0;
      next.set(position, attempt + 1);
      return { session: { ...session, cell }, position, attempt, replanOf: sessionId };
    }),
  );
  return [...members, ...further];
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Tries of one cell in the order in which they ended; those of unknown time by their ids. */
function byTime(left: AttributedSession, right: AttributedSession): number {
  const [a, b] = [left.endedAt ?? '', right.endedAt ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return left.sessionId < right.sessionId ? -1 : 1;
}
