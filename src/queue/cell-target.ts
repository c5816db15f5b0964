import { isRecord } from '../base/guards.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { contractRef } from '../lane/host-folder.ts';
import type { Cell, Plan } from '../model/plan.ts';
import { cellTargetConfig, type TargetConfig } from '../plan/cell-config.ts';
import { placeOf } from '../plan/held-out-list.ts';
import { cellTargetId } from '../plan/ids.ts';
import type { CellTarget } from './machine/edits.ts';
import { cellAt } from './machine/entries.ts';

/** The user's target that a run benchmarks, as read from TARGETS.md, with its contract. */
export interface BaseTarget {
  readonly id: string;
  /** The entry of TARGETS.md (parsed YAML). */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The contract file (parsed YAML). */
  readonly contract: Readonly<Record<string, unknown>>;
}

/** The cell target for a cell of a plan. Equal configs give equal ids, so arms and repeats of a cell share one. */
function cellTargetFor(base: BaseTarget, plan: Plan, cell: Cell): CellTarget {
  return cellTargetWith(base, cellTargetConfig(record(base.entry.config), plan, cell));
}

/** The cell target with a given complete config. */
export function cellTargetWith(base: BaseTarget, config: TargetConfig): CellTarget {
  const id = cellTargetId(base.id, config);
  const ref = contractRef(id);
  return {
    id,
    entry: {
      ...base.entry,
      id,
      enabled: true,
      runtime: { ...record(base.entry.runtime), runtime_contract_ref: ref },
      config,
    },
    contract: { ...base.contract, target_id: id },
    contractRef: ref,
  };
}

/**
 * The cell targets of a run by position.
 * @throws RbError RB366 when two cells could not be told apart.
 */
export function cellTargets(
  base: BaseTarget,
  plan: Plan,
  positions: readonly number[],
): ReadonlyMap<number, CellTarget> {
  const targets = new Map(positions.map((at) => [at, cellTargetFor(base, plan, cellAt({ plan }, at))]));
  requireDistinctTargets(plan, targets);
  return targets;
}

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
  return errorOf('RB366', {
    where: `cells ${places.join(' and ')}`,
    message: 'their cell targets have one id, so a session could not show which of them it ran.',
    value: id,
  });
}

/** Anything else than a map counts as an empty one. */
function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
