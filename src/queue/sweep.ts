import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { resolveInside } from '../files/atomic-file.ts';
import { makePrivateFolder } from '../files/durable-lines.ts';
import { hostFolder } from '../lane/host-folder.ts';
import type { Holdings, Ledger, OwnedSession } from '../lane/ledger.ts';
import { readEvidence } from '../outcome/read-evidence.ts';
import type { Clock } from '../platform/ports.ts';
import { pathOfId } from '../workspace/id-path.ts';
import { archiveEvidence, RAW_FOLDER } from './archive.ts';
import { evidenceFiles } from './collect.ts';
import type { EditPatience, QueueDocuments } from './documents.ts';
import type { Removal, RemovalResult } from './machine/edits.ts';
import { type QueueSnapshot, standing, targetsInUse } from './machine/snapshot.ts';
import { hasLingered } from './machine/standing-targets.ts';

interface SweepContext {
  /** Absolute. */
  readonly workspace: string;
  readonly documents: QueueDocuments;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly patience: EditPatience;
  /** Sessions and cell targets that a running execution deals with itself. */
  readonly except: { readonly sessions: ReadonlySet<string>; readonly cellTargets: ReadonlySet<string> };
}

export interface SweepResult {
  /** Entries taken out; finished ones with their evidence saved below `.host/swept/`. */
  readonly removed: readonly string[];
  /** Entries the watchdog is at; they go with a later sweep. */
  readonly atWork: readonly string[];
  readonly cellTargetsRemoved: readonly string[];
  /** Cell targets that must stay a little longer, because a pass of the watchdog may still look for them. */
  readonly cellTargetsLeft: readonly string[];
  /** Cell targets that a live session names. */
  readonly cellTargetsInUse: readonly string[];
  /** False when SESSIONS.md could not be edited now. */
  readonly edited: boolean;
}

/** Where a sweep saves the evidence of a run's finished sessions, for its next attempt. */
export function sweptRawFolder(workspace: string, runId: string): string {
  return path.join(pathOfId(hostFolder(workspace).swept, runId), RAW_FOLDER);
}

/**
 * Takes out what the ledger says is ours: finished and pending entries, then the cell targets and contracts nothing
 * names any more. Entries at work stay. The lane must be held.
 */
export async function sweep(context: SweepContext, holdings: Holdings): Promise<SweepResult> {
  const { documents, except } = context;
  await removeStrayFiles(context.workspace);
  const snapshot = await documents.sessions();
  const owned = [...holdings.sessions.values()].filter(({ sessionId }) => !except.sessions.has(sessionId));
  if (snapshot.fault !== null) return nothing(holdings, except.cellTargets);
  const present = owned.filter(({ sessionId }) => snapshot.byId.has(sessionId));
  for (const session of present) await saveEvidence(context, session, snapshot);
  const edited = await takeOut(context, owned, snapshot);
  if (edited === null) return nothing(holdings, except.cellTargets);
  await noteSweep(context, owned, edited);
  return { ...tally(edited.results), ...(await sweepCellTargets(context, holdings, edited)), edited: true };
}

function nothing(holdings: Holdings, except: ReadonlySet<string>): SweepResult {
  const cellTargetsLeft = [...holdings.cellTargets.keys()].filter((id) => !except.has(id));
  return {
    removed: [],
    atWork: [],
    cellTargetsRemoved: [],
    cellTargetsLeft,
    cellTargetsInUse: [],
    edited: false,
  };
}

async function saveEvidence(
  context: SweepContext,
  session: OwnedSession,
  snapshot: QueueSnapshot,
): Promise<void> {
  const entry = snapshot.byId.get(session.sessionId);
  if (entry === undefined || standing(entry.status) !== 'terminal') return;
  const evidence = await readEvidence(context.workspace, session.sessionId, entry.body());
  const { files } = evidenceFiles(evidence, entry);
  // Cells that are held out are among them, and this folder is for the next attempt alone.
  await makePrivateFolder(hostFolder(context.workspace).swept);
  const raw = sweptRawFolder(context.workspace, session.runId);
  await archiveEvidence(await resolveInside(context.workspace, raw), session.sessionId, files);
}

interface Taken {
  readonly results: ReadonlyMap<string, RemovalResult>;
  /** Those that a pass of the watchdog may still take from an older document: pending ones that we took out, and those without an entry. */
  readonly maybeHeld: ReadonlySet<string>;
  readonly bytes: number;
}

async function takeOut(
  context: SweepContext,
  owned: readonly OwnedSession[],
  snapshot: QueueSnapshot,
): Promise<Taken | null> {
  // Somebody may have taken a pending one out a moment ago: without an entry nobody knows.
  const statusOf = (id: string): string => snapshot.byId.get(id)?.status ?? 'pending';
  const maybeHeld = new Set(
    owned.map(({ sessionId }) => sessionId).filter((id) => statusOf(id) === 'pending'),
  );
  const present = owned.filter(({ sessionId }) => snapshot.byId.has(sessionId));
  if (present.length === 0) return { results: new Map(), maybeHeld, bytes: snapshot.bytes };
  // A pending one that was claimed and ended since must be archived first, so it may only go while pending.
  const remove = present.map(({ sessionId }): Removal => {
    return { id: sessionId, when: maybeHeld.has(sessionId) ? 'pending' : 'idle' };
  });
  const edited = await context.documents.editSessions({ append: [], remove }, context.patience);
  return edited === null ? null : { results: edited.removals, maybeHeld, bytes: edited.bytes };
}

async function noteSweep(context: SweepContext, owned: readonly OwnedSession[], taken: Taken): Promise<void> {
  for (const { runId, sessionId } of owned) {
    const result = taken.results.get(sessionId) ?? 'absent';
    if (result === 'busy' || result === 'unequal') continue;
    if (taken.maybeHeld.has(sessionId)) {
      await context.ledger.append({ type: 'withdrawn', runId, sessionId, documentBytes: taken.bytes });
    } else {
      await context.ledger.append({ type: 'released', runId, sessionId, how: 'removed' });
    }
  }
}

function tally(results: ReadonlyMap<string, RemovalResult>): Pick<SweepResult, 'removed' | 'atWork'> {
  const ids = (wanted: RemovalResult): string[] =>
    [...results].filter(([, result]) => result === wanted).map(([id]) => id);
  return { removed: ids('removed'), atWork: ids('busy') };
}

async function sweepCellTargets(
  context: SweepContext,
  holdings: Holdings,
  taken: Taken,
): Promise<Pick<SweepResult, 'cellTargetsRemoved' | 'cellTargetsLeft' | 'cellTargetsInUse'>> {
  const { documents, ledger, clock, except } = context;
  const snapshot = await documents.sessions();
  const used = targetsInUse(snapshot);
  const now = clock.now();
  const justWithdrawn = new Set(
    [...holdings.sessions.values()]
      .filter(({ sessionId }) => taken.maybeHeld.has(sessionId))
      .map(({ cellTarget }) => cellTarget),
  );
  const mine = [...holdings.cellTargets.values()].filter(
    ({ cellTarget }) => !except.cellTargets.has(cellTarget),
  );
  const free = mine.filter(({ cellTarget, withdrawn }) => {
    if (snapshot.fault !== null || used.has(cellTarget) || justWithdrawn.has(cellTarget)) return false;
    if (withdrawn === null) return true;
    return hasLingered(
      { atMs: Date.parse(withdrawn.at), documentBytes: withdrawn.documentBytes },
      snapshot,
      now,
    );
  });
  await documents.editTargets({ add: [], remove: free.map(({ cellTarget }) => cellTarget) });
  for (const { contract } of free) await documents.removeContract(contract);
  await ledger.append(
    ...free.map(({ runId, cellTarget }) => ({ type: 'cell_target_removed', runId, cellTarget }) as const),
  );
  const freed = new Set(free.map(({ cellTarget }) => cellTarget));
  const rest = mine.map(({ cellTarget }) => cellTarget).filter((id) => !freed.has(id));
  return {
    cellTargetsRemoved: [...freed],
    cellTargetsLeft: rest.filter((id) => !used.has(id)),
    cellTargetsInUse: rest.filter((id) => used.has(id)),
  };
}

/** Names that `replaceFile` gives to files it is writing, for the documents, contracts, the fence and the ledger. */
const DOCUMENT = /^\.(?:SESSIONS|TARGETS|LOG|LOG\.rollout-bench)\.md\.rb-[0-9a-f]{12}\.tmp$/;
const OF_HOST = /^\.(?:fence\.json|ledger\.jsonl)\.rb-[0-9a-f]{12}\.tmp$/;
const CONTRACT = /^\..+\.runtime\.yaml\.rb-[0-9a-f]{12}\.tmp$/;

/**
 * Removes half-written files that a killed run left beside the documents and contracts. Their names tell the writer
 * apart from the runtime and from editors, and only the holder of the lane writes them, so the lane must be held.
 * Returns the names, relative to the workspace.
 */
export async function removeStrayFiles(workspace: string): Promise<readonly string[]> {
  const places = [
    { folder: workspace, name: DOCUMENT },
    { folder: hostFolder(workspace).root, name: OF_HOST },
    { folder: hostFolder(workspace).contracts, name: CONTRACT },
  ];
  const removed: string[] = [];
  for (const { folder, name } of places) {
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() || !name.test(entry.name)) continue;
      const file = path.join(folder, entry.name);
      await fs.rm(file, { force: true });
      removed.push(path.relative(workspace, file));
    }
  }
  return removed;
}
