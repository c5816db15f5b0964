import { errorOf, type RbError } from '../../errors/rb-error.ts';
import type { AttributedSession } from './attribute.ts';

/**
 * One initial state of one task has one text in a simulator. Where it has two, the suite was changed between the sessions,
 * and they are no runs of one episode. Pure.
 * @throws RbError RB535 (exit 3).
 */
export function refuseMixedTasks(sessions: readonly AttributedSession[]): void {
  const first = new Map<string, AttributedSession>();
  for (const session of sessions) {
    const language = session.found.executed?.language ?? null;
    if (language === null) continue;
    const { suite, taskId, initStateId } = session.cell;
    const key = `${suite} task ${taskId}, initial state ${initStateId}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, session);
    else if (other.found.executed?.language !== language) throw mixed(key, [other, session]);
  }
}

function mixed(cell: string, both: readonly AttributedSession[]): RbError {
  const told = both.map(
    ({ sessionId, endedAt, found }) =>
      `${JSON.stringify(found.executed?.language)} in ${sessionId}, which ended ${endedAt ?? 'at an unknown time'}`,
  );
  return errorOf('RB535', {
    where: cell,
    message: 'the sessions ran two different tasks under one number, so they are not runs of one episode.',
    value: told.join('; '),
  });
}
