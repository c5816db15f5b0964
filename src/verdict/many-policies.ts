import { holm } from '../stats/holm.ts';
import { groupName, homogeneousGroups } from '../stats/homogeneous-groups.ts';
import { strataApartP, strataCounts } from '../stats/strata.ts';
import { tango } from '../stats/tango.ts';
import { weightedRate } from '../stats/task-rates.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import { SHOWN_LEVEL } from './levels.ts';
import { strataOf } from './paired-difference.ts';
import type { PairKey, PairOutcomes } from './pairing.ts';

/** Policies that one table holds; 1,225 pairs. */
export const MOST_POLICIES = 50;

/** Chance that any pair of equal policies is called different, over all pairs at once. */
export const FAMILY_ERROR = 0.05;

/** A cell that every policy was to run. */
export type SharedCell = Omit<PairKey, 'suite'>;

/** What became of the shared cells, in their order; null is no valid outcome. */
export interface PolicyOutcomes {
  readonly name: string;
  readonly outcomes: readonly (boolean | null)[];
}

/** A policy in the table. Units: rates. */
interface RankedPolicy {
  /** Place among the given policies. */
  readonly given: number;
  readonly valid: number;
  readonly successes: number;
  /** Mean of the tasks' rates with an interval of its own; null without a valid episode. */
  readonly rate: number | null;
  readonly interval: Interval | null;
  /** What the interval is of: `count` is Wilson's of the successes, as every report of one run shows it. */
  readonly intervalOf: 'count' | 'tasks';
  /** Names of its groups; null when there are too many to be read. */
  readonly groups: readonly string[] | null;
}

/** Two policies on the cells of which both have a valid outcome. Differences are the first's less the second's. */
interface PolicyPair {
  /** Places in the ranking. */
  readonly first: number;
  readonly second: number;
  readonly cells: number;
  /** Cells that only the one solved. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Tasks weigh the same; null without a common cell. */
  readonly difference: number | null;
  /** Tango's, at a level of 1 − 5 % / pairs of all tables. */
  readonly interval: Interval | null;
  /** Two-sided, of this pair alone. */
  readonly p: number;
  /** Holm's over all pairs, times the tables. */
  readonly adjusted: number;
  readonly different: boolean;
}

/** How a table of policies is made. */
interface TableDesign {
  /** Tables that are read together, which share the error; left out: this one. */
  readonly tables?: number;
  /** Left out: tasks weigh the same. */
  readonly weightOf?: (taskId: number) => number;
}

export interface ManyPolicies {
  /** Best first; equal rates by name. */
  readonly policies: readonly RankedPolicy[];
  /** Every pair once, in the order of the ranking. */
  readonly pairs: readonly PolicyPair[];
}

/**
 * Policies on the same cells: their rates, every paired difference, and groups that cannot be told apart. The unit is the
 * initial state and tasks weigh the same, as in every other comparison. Each pair is tested over its states
 * (`strataApartP`) and all pairs together by Holm's method, whose error holds however the pairs depend on each other.
 * Pure; the order of the given policies does not matter but for equal rates and names.
 */
export function comparePolicies(
  cells: readonly SharedCell[],
  given: readonly PolicyOutcomes[],
  { tables = 1, weightOf = () => 1 }: TableDesign = {},
): ManyPolicies {
  const ranked = given
    .map((policy, index) => ({ ...policy, given: index, rates: ratesOf(cells, policy.outcomes, weightOf) }))
    .sort((a, b) => (b.rates?.macro ?? -1) - (a.rates?.macro ?? -1) || compareText(a.name, b.name));
  const pairs = pairsOf(cells, ranked, { tables, weightOf });
  const apart = pairs.filter(({ different }) => different).map((p) => [p.first, p.second] as const);
  const groups = homogeneousGroups(ranked.length, apart);
  return {
    policies: ranked.map(({ given: index, outcomes, rates }, place) => ({
      given: index,
      valid: outcomes.filter((outcome) => outcome !== null).length,
      successes: outcomes.filter((outcome) => outcome === true).length,
      rate: rates?.macro ?? null,
      interval: rates?.interval ?? null,
      intervalOf: rates?.intervalOf ?? 'count',
      groups: groups?.flatMap((group, at) => (group.includes(place) ? [groupName(at)] : [])) ?? null,
    })),
    pairs,
  };
}

function pairsOf(
  cells: readonly SharedCell[],
  ranked: readonly PolicyOutcomes[],
  { tables, weightOf }: Required<TableDesign>,
): PolicyPair[] {
  const count = Math.max(1, ((ranked.length * (ranked.length - 1)) / 2) * tables);
  const tests = ranked.flatMap(({ outcomes }, first) =>
    ranked.slice(first + 1).map((other, after) => {
      const { strata, ...pair } = testPair(cells, [outcomes, other.outcomes], weightOf);
      // Sharpest where Holm's first step decides.
      const p = strataApartP(strata, FAMILY_ERROR / count);
      return { first, second: first + 1 + after, ...pair, p, strata };
    }),
  );
  const level = 1 - (1 - SHOWN_LEVEL) / count;
  // Each table has its share of the error (Bonferroni), and Holm's method holds that over the pairs in it.
  const adjusted = holm(tests.map(({ p }) => p)).map((p) => Math.min(1, p * tables));
  return tests.map(({ strata, ...test }, index) => {
    const counts = strataCounts(strata)?.counts ?? null;
    const over = adjusted[index] ?? 1;
    return {
      ...test,
      difference: counts === null ? null : (counts.fixed - counts.regressed) / counts.n,
      interval: counts === null ? null : tango(counts, level),
      adjusted: over,
      different: over <= FAMILY_ERROR,
    };
  });
}

type Outcomes = PolicyOutcomes['outcomes'];

function testPair(
  cells: readonly SharedCell[],
  [first, second]: readonly [Outcomes, Outcomes],
  weightOf: (taskId: number) => number,
) {
  const pairs: PairOutcomes[] = [];
  let [onlyFirst, onlySecond] = [0, 0];
  cells.forEach(({ taskId, initStateId }, at) => {
    const candidate = first[at] ?? null;
    const baseline = second[at] ?? null;
    if (candidate === null || baseline === null) return;
    if (candidate && !baseline) onlyFirst += 1;
    if (baseline && !candidate) onlySecond += 1;
    pairs.push({ taskId, initStateId, candidate, baseline });
  });
  const strata = strataOf(pairs, weightOf);
  return { cells: pairs.length, onlyFirst, onlySecond, strata };
}

interface PolicyRate {
  readonly macro: number;
  readonly interval: Interval;
  readonly intervalOf: 'count' | 'tasks';
}

/** One count has one interval: that of the tasks' mean is for rates that are no count, and for states that ran often. */
function ratesOf(
  cells: readonly SharedCell[],
  outcomes: Outcomes,
  weightOf: (taskId: number) => number,
): PolicyRate | null {
  const tasks = new Map<number, { k: number; n: number }>();
  cells.forEach(({ taskId }, at) => {
    const outcome = outcomes[at] ?? null;
    if (outcome === null) return;
    const task = tasks.get(taskId) ?? { k: 0, n: 0 };
    tasks.set(taskId, { k: task.k + Number(outcome), n: task.n + 1 });
  });
  const weighted = Array.from(tasks, ([taskId, counts]) => ({ ...counts, weight: weightOf(taskId) }));
  const rate = weightedRate(weighted);
  if (rate === null) return null;
  const ofCount = isOneCount(cells, weighted) ? wilsonOf(weighted) : null;
  return ofCount === null
    ? { macro: rate.macro, interval: rate.macroInterval, intervalOf: 'tasks' }
    : { macro: rate.macro, interval: ofCount, intervalOf: 'count' };
}

interface WeightedTask {
  readonly k: number;
  readonly n: number;
  readonly weight: number;
}

/** Every state ran once and every task counts as the others do, so that the mean of the tasks is successes by valid. */
function isOneCount(cells: readonly SharedCell[], [first, ...others]: readonly WeightedTask[]): boolean {
  const states = new Set(cells.map(({ taskId, initStateId }) => `${taskId} ${initStateId}`));
  const alike = others.every(({ n, weight }) => n === first?.n && weight === first.weight);
  return alike && states.size === cells.length;
}

function wilsonOf(tasks: readonly WeightedTask[]): Interval | null {
  const total = (of: (task: WeightedTask) => number): number =>
    tasks.reduce((sum, task) => sum + of(task), 0);
  return wilson(
    total(({ k }) => k),
    total(({ n }) => n),
    SHOWN_LEVEL,
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
