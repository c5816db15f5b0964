import { marginP } from './margin-test.ts';
import { type SignFlip, signFlip } from './seeds.ts';
import { mean } from './summaries.ts';
import type { PairedCounts } from './tango-score.ts';
import { worseP } from './worse-test.ts';

/**
 * Part of a paired comparison that has a weight of its own: a task, or a task of one suite among several. `differences`
 * has one number per initial state: the candidate's mean success over its runs less the baseline's, from −1 to 1.
 * Weights are relative; strata without a state are left out.
 */
export interface Stratum {
  readonly weight: number;
  readonly differences: readonly number[];
  /** Some state ran more than once. Said by the design and not read off the data, or the choice of test would follow them. */
  readonly repeated: boolean;
}

/** What the strata say together. The estimand is Σ weight·mean(differences) / Σ weight. */
interface StrataCounts {
  /**
   * Fixes and regressions on n states such that (fixed − regressed)/n is the estimand. Whole when every state weighs the
   * same and ran once; else fractions on as many states as there would be if all weighed as much as the heaviest: were
   * all that changed among the heaviest, no larger number would do.
   */
  readonly counts: PairedCounts;
  /** Every state has the same weight and ran once: the tests are exact. */
  readonly exact: boolean;
  /** Every state has the same weight. */
  readonly balanced: boolean;
}

/** Counts of strata; null without a state. The order of strata and states does not matter. */
export function strataCounts(strata: readonly Stratum[]): StrataCounts | null {
  const known = strata.filter(({ differences }) => differences.length > 0);
  const first = known[0];
  if (first === undefined) return null;
  const perState = (stratum: Stratum): number => stratum.weight / stratum.differences.length;
  const balanced = known.every((each) => Math.abs(perState(each) / perState(first) - 1) < 1e-9);
  const gains = (stratum: Stratum): number => sum(stratum.differences.map((d) => Math.max(0, d)));
  const losses = (stratum: Stratum): number => sum(stratum.differences.map((d) => Math.max(0, -d)));
  if (balanced) {
    const n = sum(known.map(({ differences }) => differences.length));
    const counts = { n, fixed: sum(known.map(gains)), regressed: sum(known.map(losses)) };
    return { counts, exact: known.every(({ repeated }) => !repeated), balanced };
  }
  const total = sum(known.map(({ weight }) => weight));
  const n = total / Math.max(...known.map(perState));
  const share = (of: (stratum: Stratum) => number): number =>
    sum(known.map((each) => (perState(each) / total) * of(each)));
  return { counts: { n, fixed: n * share(gains), regressed: n * share(losses) }, exact: false, balanced };
}

/** Weights of states within this ratio are those of tasks that lost a few episodes (10 % at most). */
const ALIKE = 1.25;

/**
 * p of "the candidate is no worse" over strata. Exact strata: `worseP`, whose error is held for every n. States of one run
 * that weigh almost alike: a sign-flip test, exact when neither policy is better on any state. No state gives 1.
 *
 * Where states differ in size, because they are means of several runs or weigh far from alike, large gains that happen not
 * to be among the data are no proof of a loss, and signs of what was seen cannot tell: they would err in up to 40 % of
 * runs of a candidate that is no worse on average. There it is `worseP` of whole counts that look no worse than the data:
 * a state counts as if all of its difference were in whole states, which is when sums spread most.
 */
export function strataWorseP(strata: readonly Stratum[], level = 0.05): number {
  const found = strataCounts(strata);
  if (found === null) return 1;
  if (found.exact) return worseP(found.counts, level);
  return areAlike(strata, found.counts) ? strataFlips(strata).worse : worseP(mildCounts(found.counts), level);
}

/** States differ in size by chance only: each ran once, and they weigh almost the same. */
function areAlike(strata: readonly Stratum[], { n }: PairedCounts): boolean {
  const states = strata.reduce((sum, { differences }) => sum + differences.length, 0);
  return n * ALIKE >= states && strata.every(({ repeated }) => !repeated);
}

/** Whole counts that look no worse than the given ones: losses and states down, gains up. */
function mildCounts(counts: PairedCounts): PairedCounts {
  return mirrored(wholeCounts(mirrored(counts)));
}

function mirrored({ n, fixed, regressed }: PairedCounts): PairedCounts {
  return { n, fixed: regressed, regressed: fixed };
}

/** The sign-flip test over the states of strata, each with its weight. */
function strataFlips(strata: readonly Stratum[]): SignFlip {
  return signFlip(weightedDifferences(strata));
}

/** How far a state's weight may be moved for the sake of an exact count, and into how many parts of the mean at most. */
const MOVED = 0.05;
const MOST_PARTS = 24;

/**
 * Two-sided p of "neither policy is better", by flipping signs, never drawn and never 0, however the states weigh: many
 * comparisons at once need p values far below what a number of draws can give. Where states differ in size (see
 * `strataWorseP`) flipped signs alone would call policies different that are equal on average, in up to 30 % of runs; p is
 * at least twice the `worseP` of the mild counts there, and `level` says where that is sharpest.
 *
 * Where weights differ they are moved by at most 5 % to multiples of the largest part (1 to 1/24) of the mean weight that
 * allows it, else to the nearest 1/24. That changes a little what is added up and the error of the test not at all: any
 * sum keeps its distribution when signs are flipped. No state that differs gives 1.
 */
export function strataApartP(strata: readonly Stratum[], level = 0.05): number {
  const found = strataCounts(strata);
  if (found === null) return 1;
  const differences = weightedDifferences(strata);
  const flipped = signFlip(found.balanced ? differences : inParts(differences)).twoSided;
  if (areAlike(strata, found.counts)) return flipped;
  const sides = [found.counts, mirrored(found.counts)].map((side) => worseP(mildCounts(side), level / 2));
  return Math.min(1, Math.max(flipped, 2 * Math.min(...sides)));
}

function inParts(differences: readonly number[]): number[] {
  const sizes = [...new Set(differences.map(Math.abs))];
  const parts = Array.from({ length: MOST_PARTS }, (_, before) => before + 1).find((each) =>
    sizes.every((size) => Math.abs(Math.round(size * each) / each - size) <= MOVED * size),
  );
  const scale = parts ?? MOST_PARTS;
  return differences.map((each) => (Math.sign(each) * Math.round(Math.abs(each) * scale)) / scale);
}

/**
 * p of "the candidate is worse by `margin` or more" over strata. Exact strata: `marginP`, whose error is held for every
 * n. Else the same test on counts that are rounded against a PASS: gains and states down, losses up. A mean of several
 * runs spreads less than a single run, so that this errs less; docs/statistics.md has the simulated errors.
 */
export function strataMarginP(strata: readonly Stratum[], margin: number): number {
  const found = strataCounts(strata);
  return found === null ? 1 : marginP(wholeCounts(found.counts), margin);
}

/** Whole counts that look no better than the given ones: gains and states down, losses up. Whole ones stay as they are. */
export function wholeCounts(counts: PairedCounts): PairedCounts {
  const n = Math.floor(counts.n + DUST);
  const scale = n / counts.n;
  const regressed = Math.min(n, Math.ceil(counts.regressed * scale - DUST));
  return { n, fixed: Math.min(n - regressed, Math.floor(counts.fixed * scale + DUST)), regressed };
}

/** Sums of thirds and fifths are whole but for their last digits. */
const DUST = 1e-9;

/** Differences whose plain sum is proportional to the estimand; sorted, so that no order matters. */
function weightedDifferences(strata: readonly Stratum[]): number[] {
  const known = strata.filter(({ differences }) => differences.length > 0);
  const balanced = strataCounts(known)?.balanced === true;
  const unit = mean(known.map(({ weight, differences }) => weight / differences.length));
  return known
    .flatMap(({ weight, differences }) => {
      const factor = balanced ? 1 : weight / differences.length / unit;
      return differences.map((d) => d * factor);
    })
    .sort((a, b) => a - b);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
