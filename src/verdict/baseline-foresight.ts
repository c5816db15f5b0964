import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { bareRecord } from './bare-record.ts';
import type { PreparedBaseline } from './baseline.ts';
import { comparisonOf } from './from-records.ts';
import { comparisonReasons } from './integrity.ts';
import { DEFAULT_LIMITS } from './tally.ts';

/** What follows from a baseline that lacks cells, and says no more than that. */
const FOLLOWS_FROM_CELLS: ReadonlySet<string> = new Set(['incomplete', 'task_incomplete']);

/**
 * Why a plan could only end INVALID against this baseline, even if every episode came out well; none when it may decide.
 * The verdict's own reasons, so that nothing is refused early that would not be later. Pure.
 */
export function foreseenReasons(plan: Plan, { baseline }: PreparedBaseline): Reason[] {
  const benchmark = { benchmark: plan.benchmark, suite: plan.suite };
  const best = plan.cells.map((cell, position) => ({
    ...bareRecord({ ...cell, ...benchmark, position, language: '', outcome: 'success', steps: null }),
    arm: cell.arm,
  }));
  const reasons = comparisonReasons(comparisonOf(plan, best, baseline), DEFAULT_LIMITS);
  if (!reasons.some(({ code }) => code === 'baseline_fewer_cells')) return reasons;
  return reasons.filter(({ code }) => !FOLLOWS_FROM_CELLS.has(code));
}
