import { type Execution, type Meters, record, warn } from './execution.ts';
import { gather } from './gather.ts';
import { type Finding, reconcile } from './reconcile.ts';
import type { SessionMemory } from './run-memory.ts';
import { atWork, latestMove, type Pace, type QueueEntry, type QueueSnapshot, standing } from './snapshot.ts';

export function paceOf(execution: Execution): Pace {
  return { nowMs: execution.input.clock.now(), slowestTransitionMs: execution.meters.slowestTransitionMs };
}

/** What is at work in the queue, and whether it is ours. */
export interface View {
  readonly snapshot: QueueSnapshot;
  readonly working: QueueEntry | null;
  readonly workingIsOurs: boolean;
}

/** Reads SESSIONS.md, measures time, and writes down everything that happened to our sessions since the last look. */
export async function look(execution: Execution): Promise<View> {
  const snapshot = await execution.documents.sessions();
  const working = atWork(snapshot, paceOf(execution));
  const workingIsOurs = working !== null && execution.memory.sessions.has(working.id);
  const view = { snapshot, working, workingIsOurs };
  measure(execution.meters, view, execution.input.clock.now());
  if (snapshot.fault === null) {
    for (const finding of reconcile(execution.memory, snapshot, paceOf(execution)))
      await follow(execution, finding, snapshot.bytes);
  }
  return view;
}

/** Foreign time, movement and the watchdog's pace, from this look and the one before. */
function measure(meters: Meters, view: View, nowMs: number): void {
  const { working } = view;
  if (meters.foreignRan) meters.foreignMs += nowMs - meters.lastLookMs;
  meters.foreignRan = working !== null && !view.workingIsOurs;
  meters.lastLookMs = nowMs;
  const latest = latestMove(view.snapshot);
  const moved = latest !== null && (meters.latestStampMs === null || latest > meters.latestStampMs);
  if (moved) meters.latestStampMs = latest;
  if (moved || working !== null) meters.lastMoveMs = nowMs;
  const before = meters.lastWorking;
  // Two stamps of one entry that did not run an episode between them measure one transition.
  if (working?.updatedMs != null && before?.id === working.id && before.status !== 'running') {
    meters.slowestTransitionMs = Math.max(meters.slowestTransitionMs, working.updatedMs - before.updatedMs);
  }
  meters.lastWorking =
    working?.updatedMs == null
      ? null
      : { id: working.id, status: working.status, updatedMs: working.updatedMs };
}

async function follow(execution: Execution, finding: Finding, bytes: number): Promise<void> {
  const { sessionId } = finding.session;
  switch (finding.kind) {
    case 'unqueued':
      await record(execution, { type: 'discarded', sessionId, reason: 'announced, but no entry was queued' });
      return release(execution, sessionId, 'never_queued');
    case 'queued':
      return record(execution, { type: 'queued', sessionId });
    case 'running':
      return record(execution, { type: 'running', sessionId, updatedAt: finding.entry.updatedAt });
    case 'settled':
      if (finding.entry.status === 'cancelled') keepTargetForNow(execution, finding.session, bytes);
      await gather(execution, finding.session, finding.entry);
      return keepInPlace(execution, finding.session);
    case 'vanished':
      keepTargetForNow(execution, finding.session, bytes);
      return gather(execution, finding.session, null);
    case 'gone':
      await record(execution, { type: 'removed', sessionId });
      return release(execution, sessionId, 'removed');
    case 'returned':
      execution.returned.add(sessionId);
      // Pending and terminal ones are taken out with the next change of the queue.
      if (standing(finding.entry.status) !== 'active') return;
      return warn(
        execution,
        `Session ${sessionId} runs although it is done with; its result does not count.`,
      );
  }
}

/** Somebody took a pending session back: a pass that read the old document still looks for its target. */
function keepTargetForNow(execution: Execution, session: SessionMemory, documentBytes: number): void {
  const standing = execution.standingTargets.get(session.cellTarget);
  if (standing !== undefined) standing.withdrawn = { atMs: execution.input.clock.now(), documentBytes };
}

/** `keep-sessions: always`: the entry stays where it is and is no longer ours to take out. */
async function keepInPlace(execution: Execution, session: SessionMemory): Promise<void> {
  const { input, ledger } = execution;
  if (input.settings.keepSessions !== 'always' || session.phase !== 'archived') return;
  const { sessionId } = session;
  await record(execution, { type: 'kept', sessionIds: [sessionId] });
  await ledger.append({ type: 'released', runId: input.runId, sessionId, how: 'kept' });
}

async function release(
  execution: Execution,
  sessionId: string,
  how: 'removed' | 'never_queued',
): Promise<void> {
  await execution.ledger.append({ type: 'released', runId: execution.input.runId, sessionId, how });
}
