import * as path from 'node:path';

/** Where everything this product writes into a workspace lives; the runtime keeps its own under artifacts/runtime. */
export const BENCH_FOLDER = 'artifacts/rollout-bench';

/** Paths of the host's own state: lane, ledger, contracts of cell targets, evidence saved by a sweep. All absolute. */
export interface HostFolder {
  readonly root: string;
  readonly lane: string;
  readonly holder: string;
  readonly ledger: string;
  readonly contracts: string;
  readonly swept: string;
}

/** Pure: the host folder of a workspace. `workspace` must be absolute. */
export function hostFolder(workspace: string): HostFolder {
  const root = path.join(workspace, BENCH_FOLDER, '.host');
  return {
    root,
    lane: path.join(root, 'lane'),
    holder: path.join(root, 'lane.holder.json'),
    ledger: path.join(root, 'ledger.jsonl'),
    contracts: path.join(root, 'contracts'),
    swept: path.join(root, 'swept'),
  };
}

/** Workspace-relative path of the contract file of a cell target, as TARGETS.md names it (`/` on every system). */
export function contractRef(cellTargetId: string): string {
  return `${BENCH_FOLDER}/.host/contracts/${cellTargetId}.runtime.yaml`;
}
