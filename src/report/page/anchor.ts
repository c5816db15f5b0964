import { type Cell, cellKey } from '../../model/plan.ts';

/** The id of an episode's row in report.html, `ep-t3-i7-r0-candidate`. */
export function episodeAnchor(cell: Cell): string {
  return `ep-${cellKey(cell)}`;
}

/** The id of what there is to see of an episode, `cell-t3-i7-r0-candidate`; comments link to it. */
export function caseAnchor(cell: Cell): string {
  return `cell-${cellKey(cell)}`;
}
