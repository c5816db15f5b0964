import { marginP } from '../stats/margin-test.ts';
import { TEST_LEVEL } from './levels.ts';

/** What `marginP` may lie above the largest probability that it bounds. */
const SLACK = 1e-4;

/**
 * Smallest number of pairs that can PASS a margin when every pair agrees: the first whose `marginP` is at most `level`,
 * nearly always the first with (1 − m)ⁿ ≤ `level`. With 9 pairs at 30 points other tables look as good, so it is 10.
 * Domain 0 < m < 1 (10 points → 29, 5 → 59, 3 → 99, 2 → 149, 1 → 299).
 */
export function pairsNeededForMargin(margin: number, level = TEST_LEVEL): number {
  let n = Math.ceil(Math.log(level - SLACK) / Math.log1p(-margin) - 1e-9);
  while (marginP({ n, fixed: 0, regressed: 0 }, margin) > level) n += 1;
  return n;
}
