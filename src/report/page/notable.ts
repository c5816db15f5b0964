import type { EpisodeRecord, Outcome } from '../../model/episode-record.ts';
import type { CellComparison } from './comparison.ts';

/** Episodes without success in the list for those without scripts and on paper, beside what regressed. */
export const MAX_FAILED = 500;
/** What regressed has a bound as well: a policy that never succeeds would make a page that nobody opens. */
const MAX_REGRESSED = 1_000;

const UNRUN: ReadonlySet<Outcome> = new Set(['not_run', 'after_stop']);

/** Everything by task, state, run and arm. */
export function inOrder(records: readonly EpisodeRecord[]): readonly EpisodeRecord[] {
  return records.toSorted(
    (left, right) =>
      left.taskId - right.taskId ||
      left.initStateId - right.initStateId ||
      left.runIndex - right.runIndex ||
      (left.arm === right.arm ? 0 : left.arm < right.arm ? -1 : 1),
  );
}

export interface Notable {
  /** What to look at first: regressed, then failed, then everything else without success; each in planned order. */
  readonly first: readonly EpisodeRecord[];
  /** Without success, and in neither list. */
  readonly left: number;
}

/** The episodes that somebody who asks why wants to see. Pure. */
export function notableEpisodes(records: readonly EpisodeRecord[], compared: CellComparison | null): Notable {
  const planned = records.toSorted((left, right) => left.position - right.position);
  const isRegressed = (record: EpisodeRecord): boolean => compared?.changeOf(record) === 'regressed';
  const without = planned.filter(({ outcome }) => outcome !== 'success');
  const regressed = without.filter(isRegressed);
  const failed = without.filter((record) => !isRegressed(record)).sort((a, b) => weight(b) - weight(a));
  const first = [...regressed.slice(0, MAX_REGRESSED), ...failed.slice(0, MAX_FAILED)];
  return { first, left: without.length - first.length };
}

/** An episode that ran tells more than one that did not. */
function weight({ outcome, arm }: EpisodeRecord): number {
  const ran = UNRUN.has(outcome) ? 0 : outcome === 'failure' ? 2 : 1;
  return ran * 2 + (arm === 'candidate' ? 1 : 0);
}
