import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import type { Baseline } from './comparison.ts';
import { newCellsNote, sharedCells } from './new-cells.ts';
import { type Pairing, pairEpisodes } from './pairing.ts';
import { plannedPairs } from './record-checks.ts';

type Recorded = Extract<Baseline, { kind: 'records' }>;

/**
 * A plan's records joined with those of another run, over the cells that both were asked for; the notes say which are new.
 * A run's own second arm was asked for all of them, and a run that may stop early was designed for all: there a cell
 * without a partner is lost. Pure.
 */
export function pairedWith(
  plan: Plan,
  records: readonly EpisodeRecord[],
  { name, records: baseline }: Recorded,
): { readonly pairing: Pairing; readonly notes: readonly Reason[]; readonly added: number } {
  const planned = plannedPairs(plan);
  const whole = plan.arms.includes('baseline') || plan.earlyStop === true;
  const shared = whole ? { common: planned, added: [] } : sharedCells(planned, baseline);
  const pairing = pairEpisodes({
    planned: shared.common,
    candidate: records.filter(({ arm }) => arm === 'candidate'),
    baseline,
    timeoutsAs: plan.timeoutsAs,
  });
  return { pairing, notes: newCellsNote(name, shared), added: shared.added.length };
}
