import { compareCells, type PageContext } from '../page/comparison.ts';
import type { ReportInput } from '../view/report-input.ts';
import type { ComparisonView } from './comment-input.ts';

/** What a comment says about the comparison with a baseline; null when there is none. */
export function comparisonView(input: ReportInput, context: PageContext): ComparisonView | null {
  const cells = compareCells(input, context);
  if (context.comparison === null) return null;
  // A published count has neither tasks nor cells that could have changed.
  if (cells === null) return { ...context.comparison, regressedEpisodes: [], tasks: new Map() };
  const regressedEpisodes = [...input.records]
    .filter((record) => cells.changeOf(record) === 'regressed')
    .sort((left, right) => left.position - right.position)
    .map(({ taskId, initStateId, runIndex, outcome }) => ({ taskId, initStateId, runIndex, outcome }));
  return { ...context.comparison, regressedEpisodes, tasks: cells.tasks };
}
