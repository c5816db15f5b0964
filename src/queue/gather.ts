import * as path from 'node:path';
import type { ArchivedFile, Judgement, OmittedFile } from '../model/journal-events.ts';
import type { Classified } from '../outcome/classified.ts';
import { classify } from '../outcome/classify.ts';
import type { SessionEvidence } from '../outcome/evidence.ts';
import { ARCHIVE_FILES, readArchivedEvidence } from '../outcome/read-archive.ts';
import type { CollectedEvidence } from '../outcome/read-evidence.ts';
import { isMissingCellTarget } from './admission.ts';
import { archiveEvidence, type EvidenceFile, listArchive, RAW_FOLDER } from './archive.ts';
import { artifactBytes } from './artifact-size.ts';
import { cellAt, entryFor } from './entries.ts';
import { equalValues } from './equality.ts';
import { type Execution, record, warn } from './execution.ts';
import type { SessionMemory } from './run-memory.ts';
import { editedFields } from './session-entry.ts';
import { isUnheard, recordingOf, UNHEARD, unrecorded } from './session-recording.ts';
import { readSettled } from './settled-evidence.ts';
import type { QueueEntry } from './snapshot.ts';

/**
 * Collects a session of ours that is over: its evidence is archived, then judged, then `collected` is written. `entry`
 * is null when it vanished; then LOG.md and episode.json decide, and without them the session is lost.
 */
export async function gather(
  execution: Execution,
  session: SessionMemory,
  entry: QueueEntry | null,
): Promise<void> {
  const { input } = execution;
  const { sessionId } = session;
  const rawDir = path.join(input.bundleDir, RAW_FOLDER);
  const recording = await recordingOf(input, session);
  const before = await listArchive(rawDir, sessionId);
  if (entry === null && before !== null) return gatherFromArchive(execution, session, before);
  const body = entry === null ? null : entry.body();
  const evidence = await readSettled(
    { ...input, onWriting: (message) => warn(execution, message) },
    sessionId,
    body,
  );
  if (entry === null && evidence.log === null && evidence.episode.state === 'absent') {
    return lose(execution, session, entry, 'its entry vanished from SESSIONS.md and left no evidence');
  }
  const judgement = judge(execution, session, evidence);
  if (isMissingCellTarget(session, judgement)) {
    return lose(
      execution,
      session,
      entry,
      'its cell target was missing from TARGETS.md when the watchdog looked for it',
    );
  }
  if (isUnheard(input, session, judgement)) return lose(execution, session, entry, UNHEARD);
  const terminal = {
    type: 'terminal',
    sessionId,
    status: entry?.status ?? 'vanished',
    updatedAt: entry?.updatedAt ?? null,
  } as const;
  const { files, omitted } = evidenceFiles(evidence, entry);
  const archived = await archiveEvidence(rawDir, sessionId, [...files, ...recording]);
  const differs = archived.kind === 'different' && !(await sameEntry(input.bundleDir, sessionId, body));
  const conflict = conflictOf(execution, session, body, differs);
  const conflicts = conflict === null ? [] : [{ type: 'conflict', sessionId, reason: conflict } as const];
  await record(execution, terminal, ...conflicts, {
    type: 'collected',
    sessionId,
    ...judgement,
    files: [...archived.files],
    omitted: [...omitted, ...unrecorded(session, archived.files)],
    ...timesOf(session, entry, input.clock.now()),
    ...(await sizeOf(execution, sessionId)),
  });
  execution.archivedEntries.set(sessionId, body);
}

/** The entry is gone, but an earlier attempt or a sweep archived it before it was taken out. */
async function gatherFromArchive(
  execution: Execution,
  session: SessionMemory,
  files: readonly ArchivedFile[],
): Promise<void> {
  const { sessionId, runningStamp: startedAt } = session;
  const evidence = await readArchivedEvidence(execution.input.bundleDir, sessionId, []);
  const names = new Set(files.map(({ name }) => name));
  const absent = Object.values(ARCHIVE_FILES).filter((name) => !names.has(name));
  await record(execution, {
    type: 'collected',
    sessionId,
    ...judge(execution, session, evidence),
    files: [...files],
    omitted: [...absent.map((name) => ({ name, reason: 'absent' })), ...unrecorded(session, files)],
    startedAt,
    finishedAt: null,
    durationMs: null,
    ...(await sizeOf(execution, sessionId)),
  });
}

/** Only for those who cap it: a journal without stays as it always was. */
async function sizeOf(
  { input }: Execution,
  sessionId: string,
): Promise<{ readonly artifactBytes?: number | null }> {
  if (input.caps?.maxArtifactBytes === undefined) return {};
  return { artifactBytes: await artifactBytes(input.workspace, sessionId) };
}

/** The same content may be laid out anew by another writer. */
async function sameEntry(bundleDir: string, sessionId: string, body: unknown): Promise<boolean> {
  const archived = await readArchivedEvidence(bundleDir, sessionId, []);
  return equalValues(archived.session, body);
}

/** An entry that is still in the queue stays ours until it is out: a crash in between must leave it to the next sweep. */
async function lose(
  execution: Execution,
  { sessionId }: SessionMemory,
  entry: QueueEntry | null,
  reason: string,
): Promise<void> {
  await record(execution, { type: 'lost', sessionId, reason, ...(await sizeOf(execution, sessionId)) });
  if (entry !== null) return;
  await execution.ledger.append({ type: 'released', runId: execution.input.runId, sessionId, how: 'lost' });
}

function judge(execution: Execution, session: SessionMemory, evidence: SessionEvidence): Judgement {
  const { plan } = execution.input;
  const found: Classified = classify({
    plan,
    cell: cellAt(execution.input, session.position),
    cellTarget: session.cellTarget,
    evidence,
  });
  return { outcome: found.outcome, errorCode: found.errorCode, errorMessage: found.errorMessage };
}

/** Why this session's evidence cannot be taken at its word; null when it can. */
function conflictOf(
  execution: Execution,
  session: SessionMemory,
  body: unknown,
  differs: boolean,
): string | null {
  if (differs) return 'an archive with other content was there before; it was kept';
  if (body === null) return null;
  const edited = editedFields(entryFor(execution.input, session), body);
  return edited.length === 0 ? null : `somebody edited the entry after it was queued: ${edited.join(', ')}`;
}

/** What goes into `raw/<session id>/`, and what does not with the reason. */
export function evidenceFiles(
  evidence: CollectedEvidence,
  entry: QueueEntry | null,
): { readonly files: readonly EvidenceFile[]; readonly omitted: readonly OmittedFile[] } {
  const files: EvidenceFile[] = [];
  const omitted: OmittedFile[] = [];
  const { session, log, episode } = ARCHIVE_FILES;
  const text = entry?.text() ?? null;
  if (text === null) omitted.push({ name: session, reason: 'absent' });
  else files.push({ name: session, content: Buffer.from(text, 'utf8') });
  if (evidence.logText === null) omitted.push({ name: log, reason: 'absent' });
  else files.push({ name: log, content: Buffer.from(evidence.logText, 'utf8') });
  const file = evidence.episodeFile;
  if (file.state === 'present') files.push({ name: episode, content: file.bytes });
  else omitted.push({ name: episode, reason: file.state === 'absent' ? 'absent' : file.reason });
  return { files, omitted };
}

/** The runtime's own stamps measure the episode; the client's clock says when it was seen. */
function timesOf(
  session: SessionMemory,
  entry: QueueEntry | null,
  nowMs: number,
): {
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
} {
  const started = session.runningStamp === null ? null : Date.parse(session.runningStamp);
  const finished = entry?.updatedMs ?? null;
  const known = started !== null && finished !== null && Number.isFinite(started) && finished >= started;
  return {
    startedAt: session.runningStamp,
    finishedAt: entry?.updatedAt ?? (entry === null ? null : new Date(nowMs).toISOString()),
    durationMs: known ? finished - started : null,
  };
}
