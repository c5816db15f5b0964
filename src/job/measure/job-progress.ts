import { roughDuration } from '../../base/rough-duration.ts';
import { type Cell, cellKey, isHeldOutPlan, type Plan } from '../../model/plan.ts';
import { maskedName, numbersOfPlan, placeOf } from '../../plan/held-out-list.ts';
import type { Log } from '../../platform/ports.ts';
import type { Progress } from '../../queue/execution.ts';

/** Outcomes that deserve a line of their own: everything that is not an ordinary result. */
const ORDINARY = new Set(['success', 'failure']);

/** Turns the engine's progress into the log's progress line, and says aloud what went wrong with an episode. */
export function jobProgress(plan: Plan, log: Log): (progress: Progress) => void {
  // A held-out cell has a number in place of its ids.
  const numbers = isHeldOutPlan(plan) ? numbersOfPlan(plan) : null;
  const nameOf = (cell: Cell): string =>
    numbers === null ? cellKey(cell) : maskedName(numbers.get(placeOf(cell)) ?? 0);
  let told: string | null = null;
  return (progress) => {
    const { last } = progress;
    if (last !== null && last.sessionId !== told) {
      told = last.sessionId;
      sayUnusual(plan, last, { log, nameOf });
    }
    const line = progressLine(plan.suite, progress);
    // A progress line may be thinned out or replaced by the next; what a run waits for must not be.
    if (progress.notice) log.info(line);
    else log.progress(line);
  };
}

/** `libero_spatial 12/50, 9 of 11 succeeded, about 3 min left; running t3-i7-r0-candidate` */
function progressLine(suite: string, progress: Progress): string {
  const { done, total, successes, valid, leftMs, state } = progress;
  const rate = valid === 0 ? '' : `, ${successes} of ${valid} succeeded`;
  const left = leftMs === null || done === total ? '' : `, about ${roughDuration(leftMs / 1000)} left`;
  return `${suite} ${done}/${total}${rate}${left}; ${state}`;
}

function sayUnusual(
  plan: Plan,
  last: NonNullable<Progress['last']>,
  { log, nameOf }: { readonly log: Log; readonly nameOf: (cell: Cell) => string },
): void {
  const { outcome, errorCode, errorMessage } = last.judgement;
  if (ORDINARY.has(outcome)) return;
  const cell = plan.cells[last.position];
  const name = cell === undefined ? last.sessionId : nameOf(cell);
  const why = [errorCode, errorMessage].filter((text) => text !== null).join(': ');
  log.warning(`${plan.suite} ${name}: ${outcome}${why === '' ? '' : ` (${why.slice(0, 300)})`}`);
}
