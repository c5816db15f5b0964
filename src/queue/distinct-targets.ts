import { EXIT, RbError } from '../errors/rb-error.ts';
import type { Plan } from '../model/plan.ts';
import { placeOf } from '../plan/held-out.ts';
import type { CellTarget } from './cell-target.ts';

/**
 * With `evidence: session` the target that a session names is all that tells its cell, and the id of a target holds 32 bits
 * of its config's digest. Elsewhere the simulator's account would show two configs under one id as a mismatch.
 * @throws RbError RB366 (exit 3) when two cells have one id.
 */
export function requireDistinctTargets(
  { evidence, cells }: Pick<Plan, 'evidence' | 'cells'>,
  targets: ReadonlyMap<number, Pick<CellTarget, 'id'>>,
): void {
  if (evidence === undefined) return;
  const owner = new Map<string, string>();
  for (const [position, { id }] of targets) {
    const cell = cells[position];
    if (cell === undefined) continue;
    const place = placeOf(cell);
    const other = owner.get(id) ?? place;
    if (other !== place) throw shared(id, [other, place]);
    owner.set(id, place);
  }
}

function shared(id: string, places: readonly [string, string]): RbError {
  return new RbError(EXIT.refused, [
    {
      code: 'RB366',
      where: `cells ${places.join(' and ')}`,
      message: 'their cell targets have one id, so a session could not show which of them it ran.',
      value: id,
      fix: "Change the target's id or anything in its config, such as a key of your own, and run again.",
      severity: 'fatal',
    },
  ]);
}
