import { idsIn } from '../base/id-ranges.ts';
import { WhyNot } from '../base/why-not.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { Cell } from '../model/plan.ts';

/** Tasks and initial states that were meant to be measured, each `runs` times. */
export interface Wanted {
  /** As the user wrote it. */
  readonly text: string;
  readonly tasks: readonly number[];
  readonly initStates: readonly number[];
  readonly runs: number;
}

/** No benchmark has more, and a slip must not fill the memory. */
const MAX_CELLS = 1_000_000;

/**
 * `10x50`: tasks 0-9, initial states 0-49; `3-7x0-9` names the ids; a third factor is the runs of each state. Pure.
 * @throws RbError RB526 (exit 2) for anything else.
 */
export function parseWanted(text: string): Wanted {
  const [tasks, initStates, runs = '1', ...rest] = text.split('x').map((part) => part.trim());
  const taskIds = idsOf(tasks ?? '');
  const stateIds = idsOf(initStates ?? '');
  const times = /^[1-9]\d{0,3}$/.test(runs) ? Number(runs) : null;
  if (taskIds === null || stateIds === null || times === null || rest.length > 0) throw notWanted(text);
  if (taskIds.length * stateIds.length * times > MAX_CELLS) throw notWanted(text);
  return { text, tasks: taskIds, initStates: stateIds, runs: times };
}

/** A plain number is a count, from 0 on; with a dash or a comma the ids themselves. */
function idsOf(text: string): readonly number[] | null {
  if (/^[1-9]\d{0,5}$/.test(text)) return Array.from({ length: Number(text) }, (_, at) => at);
  if (!/^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/.test(text) || !/[-,]/.test(text)) return null;
  const ids = idsIn(text.split(','));
  return ids instanceof WhyNot || ids.length === 0 ? null : ids;
}

/** Every cell that was meant, tasks before states before runs. Pure. */
export function wantedCells({ tasks, initStates, runs }: Wanted): Cell[] {
  const times = Array.from({ length: runs }, (_, at) => at);
  return tasks.flatMap((taskId) =>
    initStates.flatMap((initStateId) =>
      times.map((runIndex) => ({ taskId, initStateId, runIndex, arm: 'candidate' as const })),
    ),
  );
}

/** RB525 (exit 3): the evidence has more than was meant, so what was meant is something else. */
export function beyondWanted({ text }: Wanted, suite: string, found: readonly string[]): RbError {
  return errorOf('RB525', {
    where: `option --planned, sessions of ${suite}`,
    message: `the evidence has episodes that were not planned: ${found.slice(0, 5).join(', ')}${found.length > 5 ? ` and ${found.length - 5} more` : ''}.`,
    value: text,
    fix: 'Write what was planned: `10x50` is tasks 0-9 and initial states 0-49, `3-7x0-9` names the ids, a third number the runs of each state. Or choose the sessions with --goal, --target, --since and --until.',
  });
}

function notWanted(text: string): RbError {
  return errorOf('RB526', {
    where: 'option --planned',
    message: 'it does not say how many tasks and initial states were planned.',
    value: JSON.stringify(text.slice(0, 80)),
    fix: 'Write tasks times initial states, such as `10x50` or `3-7x0-9`; a third factor is the runs of each state.',
  });
}
