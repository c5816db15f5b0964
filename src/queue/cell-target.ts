import { contractRef } from '../lane/host-folder.ts';
import type { Cell, Plan } from '../model/plan.ts';
import { cellTargetConfig, type TargetConfig } from '../plan/cell-config.ts';
import { cellTargetId } from '../plan/ids.ts';

/** The user's target that a run benchmarks, as read from TARGETS.md, with its contract. */
export interface BaseTarget {
  readonly id: string;
  /** The entry of TARGETS.md (parsed YAML). */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The contract file (parsed YAML). */
  readonly contract: Readonly<Record<string, unknown>>;
}

/** A short-lived target that carries one cell's config. */
export interface CellTarget {
  readonly id: string;
  /** The entry of TARGETS.md. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The content of its contract file; the runtime refuses a contract whose target_id is another. */
  readonly contract: Readonly<Record<string, unknown>>;
  /** Workspace-relative. */
  readonly contractRef: string;
}

/** The cell target for a cell of a plan. Equal configs give equal ids, so arms and repeats of a cell share one. */
export function cellTargetFor(base: BaseTarget, plan: Plan, cell: Cell): CellTarget {
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

function record(value: unknown): Record<string, unknown> {
  // Checked on this line: anything else than a plain map counts as an empty one.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
