import type { Holdings, LedgerEvent } from '../../lane/ledger.ts';
import { type Command, journal, ledger } from './commands.ts';
import type { CellTarget } from './edits.ts';
import { isLive, type SessionMemory } from './run-memory.ts';
import { latestMove, type QueueSnapshot, targetsInUse } from './snapshot.ts';
import { type Decision, joined, type Now, type StandingTarget, type State, warned } from './state.ts';

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

/** May the cell target of a withdrawn session go? */
export function hasLingered(
  withdrawn: { readonly atMs: number; readonly documentBytes: number },
  snapshot: QueueSnapshot,
  nowMs: number,
): boolean {
  const moved = latestMove(snapshot);
  if (moved !== null && moved > withdrawn.atMs) return true;
  return nowMs - withdrawn.atMs > lingerMs(withdrawn.documentBytes);
}

/** The cell targets that stand after these lines of the ledger. */
export function standingAfter(
  before: State['standingTargets'],
  lines: readonly LedgerEvent[],
): State['standingTargets'] {
  const targets = new Map<string, StandingTarget>(before);
  for (const line of lines) {
    if (line.type === 'cell_target_removed') targets.delete(line.cellTarget);
    if (line.type !== 'own') continue;
    const withdrawn = targets.get(line.cellTarget)?.withdrawn ?? null;
    targets.set(line.cellTarget, { contractRef: line.contract, withdrawn });
  }
  return targets;
}

/** Pending sessions were taken back, or may have been: a pass that read the old document still looks for their targets. */
export function keepTargetsForNow(
  { standingTargets }: State,
  sessions: readonly SessionMemory[],
  withdrawn: NonNullable<StandingTarget['withdrawn']>,
): Pick<State, 'standingTargets'> {
  const targets = new Map(standingTargets);
  for (const { cellTarget } of sessions) {
    const target = targets.get(cellTarget);
    if (target !== undefined) targets.set(cellTarget, { ...target, withdrawn });
  }
  return { standingTargets: targets };
}

/** Our own cell targets from earlier attempts, ours to take out now. */
export function targetsLeft(runId: string, holdings: Holdings): State['standingTargets'] {
  return new Map(
    [...holdings.cellTargets.values()]
      .filter((held) => held.runId === runId)
      .map(({ cellTarget, contract: contractRef, withdrawn }) => {
        const since =
          withdrawn === null
            ? null
            : { atMs: Date.parse(withdrawn.at), documentBytes: withdrawn.documentBytes };
        return [cellTarget, { contractRef, withdrawn: since }];
      }),
  );
}

/** Cell targets of ours that nothing needs: no session of ours, no foreign entry, no withdrawal too fresh. */
export function idleTargets(state: State, fresh: readonly CellTarget[], now: Now): readonly string[] {
  const { memory, standingTargets } = state;
  const { snapshot } = state.view;
  if (standingTargets.size === 0) return [];
  const needed = memory.open().filter((session) => isLive(session) || session.phase === 'settled');
  const used = new Set([
    ...fresh.map(({ id }) => id),
    ...needed.map(({ cellTarget }) => cellTarget),
    ...targetsInUse(snapshot),
  ]);
  return [...standingTargets]
    .filter(([id, { withdrawn }]) => {
      return !used.has(id) && (withdrawn === null || hasLingered(withdrawn, snapshot, now.ms));
    })
    .map(([id]) => id);
}

/** Contracts, then TARGETS.md, then what is needed no longer. Ownership is already written. */
export function targetCommands(
  state: State,
  fresh: readonly CellTarget[],
  idle: readonly string[],
): readonly Command[] {
  const add = uniqueById(fresh);
  const commands: Command[] = [];
  if (add.length > 0) commands.push({ type: 'write_contracts', targets: add });
  if (add.length + idle.length > 0) commands.push({ type: 'edit_targets', edit: { add, remove: idle } });
  if (idle.length === 0) return commands;
  const contracts = idle.flatMap((id) => state.standingTargets.get(id)?.contractRef ?? []);
  const { runId } = state.job;
  const events = idle.map((cellTarget) => ({ type: 'cell_target_removed', runId, cellTarget }) as const);
  return [...commands, { type: 'remove_contracts', contracts }, ledger(...events)];
}

/** Rule: cell targets that nothing needs go. */
export function removeIdleTargets(state: State, now: Now): Decision {
  if (state.view.snapshot.fault !== null) return {};
  return { commands: targetCommands(state, [], idleTargets(state, [], now)) };
}

/** Rule: are the cell targets of what is queued still as we wrote them? */
export function checkTargets({ targets, memory, view }: State): Decision {
  if (view.snapshot.fault !== null) return {};
  const expected = memory
    .open()
    .filter(isLive)
    .flatMap(({ position }) => targets.get(position) ?? []);
  return expected.length === 0
    ? {}
    : { commands: [{ type: 'find_damaged', expected: uniqueById(expected) }] };
}

/** Reaction: puts back cell targets that somebody's older copy of TARGETS.md lost or changed. */
export function restored(state: State, damaged: readonly CellTarget[]): Decision {
  if (damaged.length === 0) return {};
  const cellTargets = damaged.map(({ id }) => id);
  return joined(
    {
      commands: [
        { type: 'write_contracts', targets: damaged },
        { type: 'edit_targets', edit: { add: damaged, remove: [], repair: true } },
        journal({ type: 'cell_targets_restored', cellTargets }),
      ],
    },
    warned(state, 'TARGETS.md was saved without our cell targets; they were put back.'),
  );
}

function uniqueById(targets: readonly CellTarget[]): readonly CellTarget[] {
  return [...new Map(targets.map((target) => [target.id, target])).values()];
}
