import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { Plan } from '../../model/plan.ts';
import { isRetryable } from '../../outcome/classify.ts';
import { validOutcome } from '../../verdict/pairing.ts';

type Ended = Pick<EpisodeRecord, 'outcome'>;

/**
 * How far a run came that did not come to its end: `2 of 30 episodes valid and kept; 2 errors, which a resume tries again
 * as far as retry-errors allows`. An error is nothing that is kept. Pure.
 */
export function keptText(records: readonly Ended[], timeoutsAs: Plan['timeoutsAs']): string {
  const without = records.filter(({ outcome }) => validOutcome(outcome, timeoutsAs) === null);
  const ended = without.filter(({ outcome }) => outcome !== 'not_run' && outcome !== 'cancelled');
  const again = ended.filter(({ outcome }) => isRetryable(outcome)).length;
  const others = ended.length - again;
  return [
    `${records.length - without.length} of ${records.length} episodes valid and kept`,
    ...(again === 0
      ? []
      : [
          `${again} ${again === 1 ? 'error' : 'errors'}, which a resume tries again as far as retry-errors allows`,
        ]),
    ...(others === 0 ? [] : [`${others} ended without a valid outcome`]),
  ].join('; ');
}
