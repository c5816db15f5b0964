import * as path from 'node:path';
import { readJournal } from '../journal/journal.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { foldLedger, type Holdings, readLedger } from '../lane/ledger.ts';
import type { JournalEvent } from '../model/journal-events.ts';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { parseYamlOrNull } from '../outcome/read-evidence.ts';
import { archiveEvidence, RAW_FOLDER, readArchive } from './archive.ts';
import { noteUsage, wallMsIn } from './caps.ts';
import { type Execution, record, warn } from './execution.ts';
import { isLive, RunMemory, type SessionMemory } from './run-memory.ts';
import { recordingBeside, UNHEARD } from './session-recording.ts';
import { sweep, sweptRawFolder } from './sweep.ts';
import { LOCK_REPORT_MS } from './turn.ts';
import { giveBackEarlier } from './weigh.ts';
import { withdrawPending } from './withdraw.ts';

/**
 * Takes over what earlier attempts of this run left: finished cells with their evidence, sessions still in the queue,
 * cell targets. Then sweeps what crashed runs left on this host. Nothing of an earlier attempt is edited.
 */
export async function recover(execution: Execution): Promise<void> {
  const earlier = await earlierMemory(execution);
  // Each attempt begins with what was used before, so that any number of crashes adds up.
  await noteUsage(execution, { memory: earlier });
  for (const session of earlier.sessions.values()) await adopt(execution, session);
  const holdings = foldLedger(await readLedger(hostFolder(execution.input.workspace).ledger));
  takeOverTargets(execution, holdings);
  await giveBackEarlier(execution);
  await withdrawUnheard(execution);
  await sweepOtherRuns(execution);
}

/** Pending sessions of an earlier attempt name relays that ended with it: they would only fail. */
async function withdrawUnheard(execution: Execution): Promise<void> {
  const unheard = execution.memory.open().some((session) => isLive(session) && session.relay !== null);
  if (!unheard) return;
  await withdrawPending(execution, UNHEARD);
}

async function earlierMemory(execution: Execution): Promise<RunMemory> {
  const memory = new RunMemory(1);
  const { capWatch } = execution;
  for (const { attempt, bundleDir } of execution.input.resume) {
    const reading = await readJournal(bundleDir);
    if (reading.tornBytes > 0) await record(execution, { type: 'torn', attempt, bytes: reading.tornBytes });
    capWatch.earlierWallMs = Math.max(capWatch.earlierWallMs, wallMsIn(reading.records));
    memory.attempt = attempt;
    for (const { event } of reading.records) memory.apply(event);
  }
  return memory;
}

async function adopt(execution: Execution, session: SessionMemory): Promise<void> {
  const { sessionId, position, sessionAttempt, cellTarget, fromAttempt, relay } = session;
  const place = {
    ...{ sessionId, position, sessionAttempt, cellTarget, fromAttempt },
    ...(relay === null ? {} : { relay }),
  };
  const entry = await copyArchive(execution, sessionId);
  await record(execution, { type: 'adopted', ...place }, ...replayOf(session, entry !== null));
  if (session.phase === 'archived' && entry !== null) execution.archivedEntries.set(sessionId, entry.body);
}

/** The evidence of a session copied from the first place that has it; null when none has. */
async function copyArchive(
  execution: Execution,
  sessionId: string,
): Promise<{ readonly body: unknown } | null> {
  const { input } = execution;
  const places = [
    ...input.resume.map(({ bundleDir }) => path.join(bundleDir, RAW_FOLDER)),
    sweptRawFolder(input.workspace, input.runId),
  ];
  for (const place of places) {
    const files = await readArchive(place, sessionId);
    if (files.length === 0) continue;
    await archiveEvidence(path.join(input.bundleDir, RAW_FOLDER), sessionId, [
      ...files,
      ...recordingBeside(input, sessionId, files),
    ]);
    const text = files.find(({ name }) => name === ARCHIVE_FILES.session);
    const value = parseYamlOrNull(text === undefined ? null : Buffer.from(text.content).toString('utf8'));
    return { body: Array.isArray(value) ? (value[0] ?? null) : value };
  }
  return null;
}

/** The events that bring an adopted session to where the earlier attempt left it. */
function replayOf(session: SessionMemory, hasArchive: boolean): JournalEvent[] {
  const { sessionId, judgement, phase } = session;
  if (judgement === null) return replayOpen(session, hasArchive);
  if (judgement.outcome === 'lost') {
    const reason = judgement.errorMessage ?? 'lost in an earlier attempt';
    return [{ type: 'lost', sessionId, reason, ...sized(session) }];
  }
  const events: JournalEvent[] = [];
  if (judgement.outcome === 'conflict') {
    events.push({
      type: 'conflict',
      sessionId,
      reason: judgement.errorMessage ?? 'recorded in an earlier attempt',
    });
  }
  const { files, omitted, startedAt, finishedAt, durationMs } = session;
  events.push({
    type: 'collected',
    sessionId,
    ...judgement,
    files: [...files],
    omitted: [...omitted],
    startedAt,
    finishedAt,
    durationMs,
    ...sized(session),
  });
  if (session.weighed !== null)
    events.push({
      type: 'weighed',
      sessionId,
      counts: session.weighed === 'counts',
      reason: 'as in an earlier attempt',
    });
  if (phase === 'closed') events.push({ type: 'removed', sessionId });
  if (phase === 'kept') events.push({ type: 'kept', sessionIds: [sessionId] });
  return events;
}

/** Absent stays absent: only a run with a cap on it measures it. */
function sized({ artifactBytes }: SessionMemory): { artifactBytes?: number } {
  return artifactBytes === null ? {} : { artifactBytes };
}

/**
 * Sessions without a judgement: withdrawn ones stay out, others go on from where they were. One with an archive was in
 * the queue for certain, even if the note of it is missing.
 */
function replayOpen(session: SessionMemory, hasArchive: boolean): JournalEvent[] {
  const { sessionId, phase, runningStamp } = session;
  if (phase === 'closed')
    return [{ type: 'discarded', sessionId, reason: 'withdrawn in an earlier attempt' }];
  if (phase === 'intent' && !hasArchive) return [];
  const events: JournalEvent[] = [{ type: 'queued', sessionId }];
  if (runningStamp !== null) events.push({ type: 'running', sessionId, updatedAt: runningStamp });
  return events;
}

/** Our own cell targets from earlier attempts become ours to take out. */
function takeOverTargets(execution: Execution, holdings: Holdings): void {
  const { input, standingTargets } = execution;
  for (const { runId, cellTarget, contract, withdrawn } of holdings.cellTargets.values()) {
    if (runId !== input.runId) continue;
    standingTargets.set(cellTarget, {
      contractRef: contract,
      withdrawn:
        withdrawn === null
          ? null
          : { atMs: Date.parse(withdrawn.at), documentBytes: withdrawn.documentBytes },
    });
  }
}

/** Takes out what other runs left on this host; what must still stay goes with the next call. */
export async function sweepOtherRuns(execution: Execution): Promise<void> {
  const { input, documents, ledger, memory, standingTargets } = execution;
  const holdings = foldLedger(await readLedger(hostFolder(input.workspace).ledger));
  const cellTargets = new Set([
    ...standingTargets.keys(),
    ...memory.open().map(({ cellTarget }) => cellTarget),
  ]);
  const result = await sweep(
    {
      workspace: input.workspace,
      documents,
      ledger,
      clock: input.clock,
      patience: {
        timeoutMs: LOCK_REPORT_MS,
        signal: input.signal,
        slowestTransitionMs: 0,
        onWait: () => undefined,
      },
      except: { sessions: new Set(memory.sessions.keys()), cellTargets },
    },
    holdings,
  );
  const count = result.removed.length + result.cellTargetsRemoved.length;
  if (count > 0) {
    await warn(
      execution,
      `Cleaned up after an earlier run: ${result.removed.length} sessions, ${result.cellTargetsRemoved.length} cell targets.`,
    );
  }
}
