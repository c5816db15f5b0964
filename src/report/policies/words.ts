import { fixed, percentOfRate, points } from '../../stats/rounding.ts';
import { plainLine } from '../text/escape.ts';
import { intervalText, plainRateText, UNKNOWN } from '../text/format.ts';
import type { ComparedPair, ComparedPolicy, Comparison, ComparisonOfSuites } from './document.ts';

/** What a reader must know of letters before anything else. */
export const LETTERS_RULE =
  'Policies that share a letter cannot be told apart by these episodes; that does not say that they are equal.';

/** How the letters came about. */
export function methodText({ pairs, familyError, tables = 1, suites }: ComparisonOfSuites): string {
  const weigh =
    suites === undefined ? 'Tasks weigh the same.' : 'Suites weigh the same, and so do the tasks of each.';
  if (pairs.length === 0) return weigh;
  const all = tables === 1 ? 'all pairs' : `all pairs of all ${tables} tables`;
  const error = percentOfRate(familyError, 0) ?? '';
  const many = pairs.length === 1 ? 'The pair is' : `All ${pairs.length} pairs are`;
  return `${many} tested two-sidedly over initial states (sign flips), with an error of at most ${error} % over ${all} together (Holm). ${weigh}`;
}

/** What each policy ran. */
export function cellsText({ cells, states, tasks }: Comparison): string {
  const of = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  return `Each policy ran ${of(cells, 'cell')}: ${of(states, 'initial state')} of ${of(tasks, 'task')}.`;
}

/** Letters of a name inside a sentence. */
const NAME_LIMIT = 80;

/** Who is ahead, in one sentence. Names are foreign text. */
export function leadText({ policies, pairs }: Comparison): string {
  const [best, ...others] = policies;
  if (best === undefined || best.rate === null) return 'No policy has a valid episode.';
  const like = pairs.filter(({ first, different }) => first === 0 && !different).length;
  const head = `${plainLine(best.name, NAME_LIMIT)} has the highest rate, ${plainRateText(best.rate)}`;
  if (others.length === 0)
    return `${plainLine(best.name, NAME_LIMIT)} is the only policy here, with ${plainRateText(best.rate)}.`;
  if (like === 0) return `${head}, and is better than every other policy here.`;
  if (like === others.length) return `${head}, but no other policy can be told from it.`;
  return `${head}; ${like} of ${others.length} others cannot be told from it.`;
}

/** `93.0%`; the counts stand in a column of their own, since the rate is the mean of tasks. */
export function policyRateText({ rate }: ComparedPolicy): string {
  return plainRateText(rate);
}

export function policyIntervalText({ low, high }: ComparedPolicy): string {
  return intervalText({ low, high });
}

/** Of what the intervals of the rates are; they show, and decide nothing. */
export function intervalsText({ policies }: Comparison): string {
  const ofTasks = policies.filter(({ intervalOf }) => intervalOf !== 'count').length;
  if (ofTasks === 0) return 'Intervals of rates are Wilson 95 % of the counts, as each run shows them.';
  const which =
    ofTasks === policies.length
      ? 'Intervals of rates are'
      : `${ofTasks} of ${policies.length} intervals of rates are`;
  return `${which} of the mean of the tasks, since states ran several times or tasks count differently; each run shows Wilson 95 % of its count.`;
}

export function lettersText({ groups }: ComparedPolicy): string {
  if (groups === null) return UNKNOWN;
  return groups.join(groups.some((group) => group.length > 1) ? ' ' : '');
}

export function differenceText({ difference }: ComparedPair): string {
  return difference === null ? UNKNOWN : (points(difference) ?? UNKNOWN);
}

/** `−6.4 to −2.0`, in points. */
export function differenceInterval({ low, high }: ComparedPair): string {
  return low === null || high === null ? UNKNOWN : `${points(low)} to ${points(high)}`;
}

export function pText(p: number): string {
  return p < 0.001 ? '< 0.001' : (fixed(p, 3) ?? UNKNOWN);
}

/** Pairs that a page has room for: all of few policies, else neighbours in the ranking. */
export function shownPairs({ policies, pairs }: Comparison): readonly ComparedPair[] {
  return policies.length <= MOST_SHOWN_IN_FULL
    ? pairs
    : pairs.filter(({ first, second }) => second === first + 1);
}
const MOST_SHOWN_IN_FULL = 15;

/** What is left out of a page, null when nothing is. */
export function leftOutText(comparison: Comparison): string | null {
  const shown = shownPairs(comparison).length;
  if (shown === comparison.pairs.length) return null;
  return `Shown are neighbours in the ranking; all ${comparison.pairs.length} pairs are in pairs.csv and comparison.json.`;
}
