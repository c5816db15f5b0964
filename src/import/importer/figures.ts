import { percentOf } from '../../stats/rounding.ts';
import type { Imported, ImportedEpisode } from './importer.ts';
import { OUTCOME_ONLY } from './outcome-only.ts';

type Figure = Imported['figures'][number];

/** Successes and all episodes that a figure is over. */
export interface Counted {
  readonly k: number;
  readonly n: number;
}

interface Told {
  /** What the tool calls it. */
  readonly name: string;
  /** Null: the tool says it of everything. */
  readonly suite: string | null;
  /** As a percentage. */
  readonly percent: number;
  /** Percentage points that the tool's rounding takes; 0.05 for one decimal. */
  readonly within: number;
  /** Why it may differ, said when it does. */
  readonly why: string;
}

/** A rate that a tool printed beside the one that its episodes give. Pure. */
export function rateFigure({ name, suite, percent, within, why }: Told, { k, n }: Counted): Figure {
  const agrees = n > 0 && Math.abs((100 * k) / n - percent) <= within + 1e-6;
  return {
    name,
    suite,
    told: `${Number(percent.toFixed(4))}%`,
    counted: n === 0 ? 'no valid episode' : `${k}/${n} = ${percentOf(k, n) ?? ''}%`,
    why: agrees ? null : why,
  };
}

/** A count that a tool printed beside ours. Pure. */
export function countFigure(
  name: string,
  suite: string | null,
  { told, counted, why }: { readonly told: number; readonly counted: number; readonly why: string },
): Figure {
  return { name, suite, told: String(told), counted: String(counted), why: told === counted ? null : why };
}

/** Successes over episodes with an outcome of the policy, as we count. Pure. */
export function validOf(episodes: readonly Pick<ImportedEpisode, 'outcome'>[]): Counted {
  const k = episodes.filter(({ outcome }) => outcome === 'success').length;
  return { k, n: k + episodes.filter(({ outcome }) => outcome === 'failure').length };
}

/** Episodes of which only the number is known: which of them succeeded, nobody can tell. Pure. */
export function countedEpisodes(
  episode: Pick<ImportedEpisode, 'suite' | 'task' | 'at'>,
  { k, n }: Counted,
): ImportedEpisode[] {
  return Array.from({ length: n }, (_, place) => ({
    ...OUTCOME_ONLY,
    ...episode,
    place,
    outcome: place < k ? 'success' : 'failure',
  }));
}
