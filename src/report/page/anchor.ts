import { type Cell, cellKey } from '../../model/plan.ts';

/** The id of an episode's place in report.html, `ep-t3-i7-r0-candidate`; comments link to it. */
export function episodeAnchor(cell: Cell): string {
  return `ep-${cellKey(cell)}`;
}
