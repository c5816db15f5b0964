import type { CellTarget } from './cell-target.ts';
import { type Execution, record, warn } from './execution.ts';
import { isLive } from './run-memory.ts';
import { latestMove, type QueueSnapshot, targetsInUse } from './snapshot.ts';

/**
 * A pass of the watchdog that read SESSIONS.md before a pending entry was taken out still looks for its target, and
 * ends the watchdog when that is gone. So the target stays until another session has moved, or this long.
 */
const LINGER_MS = 10_000;
const LINGER_MS_PER_100_KB = 1_000;

/** Milliseconds after the withdrawal from which no pass can hold the old document any more. */
function lingerMs(documentBytes: number): number {
  return LINGER_MS + Math.ceil(documentBytes / 100_000) * LINGER_MS_PER_100_KB;
}

/** May the cell target of a withdrawn session go? Pure. */
export function hasLingered(
  withdrawn: { readonly atMs: number; readonly documentBytes: number },
  snapshot: QueueSnapshot,
  nowMs: number,
): boolean {
  const moved = latestMove(snapshot);
  if (moved !== null && moved > withdrawn.atMs) return true;
  return nowMs - withdrawn.atMs > lingerMs(withdrawn.documentBytes);
}

/** Cell targets of ours that nothing needs: no session of ours, no foreign entry, no withdrawal too fresh. */
export function removableCellTargets(
  execution: Execution,
  snapshot: QueueSnapshot,
  wanted: ReadonlySet<string>,
): readonly string[] {
  const { memory, standingTargets, input } = execution;
  if (standingTargets.size === 0) return [];
  const used = new Set(wanted);
  for (const session of memory.open()) {
    if (isLive(session) || session.phase === 'settled') used.add(session.cellTarget);
  }
  for (const target of targetsInUse(snapshot)) used.add(target);
  const now = input.clock.now();
  return [...standingTargets]
    .filter(
      ([id, { withdrawn }]) => !used.has(id) && (withdrawn === null || hasLingered(withdrawn, snapshot, now)),
    )
    .map(([id]) => id);
}

/** Writes contracts, then puts cell targets in and takes idle ones out in one edit. Ownership is already written. */
export async function addCellTargets(
  execution: Execution,
  add: readonly CellTarget[],
  idle: readonly string[],
): Promise<void> {
  const { documents, standingTargets } = execution;
  const fresh = uniqueById(add);
  for (const target of fresh) {
    standingTargets.set(target.id, {
      contractRef: target.contractRef,
      withdrawn: standingTargets.get(target.id)?.withdrawn ?? null,
    });
    await documents.writeContract(target);
  }
  await documents.editTargets({ add: fresh, remove: idle });
  await forget(execution, idle);
}

export async function removeIdleCellTargets(execution: Execution, snapshot: QueueSnapshot): Promise<void> {
  const idle = removableCellTargets(execution, snapshot, new Set());
  if (idle.length === 0) return;
  await execution.documents.editTargets({ add: [], remove: idle });
  await forget(execution, idle);
}

async function forget(execution: Execution, ids: readonly string[]): Promise<void> {
  const { documents, ledger, standingTargets, input } = execution;
  for (const id of ids) {
    const standing = standingTargets.get(id);
    if (standing !== undefined) await documents.removeContract(standing.contractRef);
    standingTargets.delete(id);
  }
  await ledger.append(
    ...ids.map((cellTarget) => ({ type: 'cell_target_removed', runId: input.runId, cellTarget }) as const),
  );
}

/** Puts back cell targets that somebody's older copy of TARGETS.md lost or changed. */
export async function restoreCellTargets(execution: Execution): Promise<void> {
  const { documents, memory, targets } = execution;
  const expected = memory
    .open()
    .filter(isLive)
    .map(({ position }) => targets.get(position))
    .filter((target) => target !== undefined);
  const damaged = await documents.damagedCellTargets(uniqueById(expected));
  if (damaged.length === 0) return;
  for (const target of damaged) await documents.writeContract(target);
  await documents.editTargets({ add: damaged, remove: [], repair: true });
  await record(execution, { type: 'cell_targets_restored', cellTargets: damaged.map(({ id }) => id) });
  await warn(execution, 'TARGETS.md was saved without our cell targets; they were put back.');
}

function uniqueById(targets: readonly CellTarget[]): readonly CellTarget[] {
  return [...new Map(targets.map((target) => [target.id, target])).values()];
}
