import { roughDuration } from '../../base/rough-duration.ts';
import { type Cell, cellKey, isHeldOutPlan, type Plan } from '../../model/plan.ts';
import { maskedName, numbersOfPlan, placeOf } from '../../plan/held-out-list.ts';
import type { Log } from '../../platform/ports.ts';
import type { Progress } from '../../queue/execution.ts';
import { intervalText } from '../../report/text/format.ts';
import { percentOf } from '../../stats/rounding.ts';
import { wilson } from '../../stats/wilson.ts';

/** Outcomes that deserve a line of their own: everything that is not an ordinary result. */
const ORDINARY = new Set(['success', 'failure']);

interface JobProgress {
  readonly report: (progress: Progress) => void;
  /** Nothing goes on any more: no line that says so stays, and one tells how far it came. */
  readonly end: () => void;
}

/** Turns the engine's progress into the log's progress line, and says aloud what went wrong with an episode. */
export function jobProgress(plan: Plan, log: Log): JobProgress {
  // A held-out cell has a number in place of its ids.
  const numbers = isHeldOutPlan(plan) ? numbersOfPlan(plan) : null;
  const nameOf = (cell: Cell): string =>
    numbers === null ? cellKey(cell) : maskedName(numbers.get(placeOf(cell)) ?? 0);
  let told: string | null = null;
  let newest: Progress | null = null;
  return {
    report(progress) {
      newest = progress;
      const { last } = progress;
      if (last !== null && last.sessionId !== told) {
        told = last.sessionId;
        sayUnusual(plan, last, { log, nameOf });
      }
      const line = progressLine(plan, progress);
      // A progress line may be thinned out or replaced by the next; what a run waits for must not be.
      if (progress.notice) log.info(line);
      else log.progress(line);
    },
    end() {
      log.progress('');
      if (newest !== null) log.info(`${plan.suite} ${newest.done}/${newest.total}${ratesText(plan, newest)}`);
    },
  };
}

/** `libero_spatial 12/50, 81.8% (9/11), 52.3–94.9, about 3 min left; running t3-i7-r0-candidate` */
function progressLine(plan: Plan, progress: Progress): string {
  const { done, total, leftMs, state } = progress;
  const left = leftMs === null || done === total ? '' : `, about ${roughDuration(leftMs / 1000)} left`;
  return `${plan.suite} ${done}/${total}${ratesText(plan, progress)}${left}; ${state}`;
}

/** Rate and interval of each arm so far; nothing before the first valid episode. */
function ratesText(plan: Plan, { counts }: Progress): string {
  const several = plan.arms.length > 1;
  const rates = counts.map(({ arm, successes, valid }) => {
    const interval = wilson(successes, valid);
    const within = interval === null ? '' : `, ${intervalText(interval)}`;
    return `${several ? `${arm} ` : ''}${percentOf(successes, valid)}% (${successes}/${valid})${within}`;
  });
  return rates.map((text) => `, ${text}`).join('');
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
