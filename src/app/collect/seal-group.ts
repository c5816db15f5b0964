import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { attemptFolder } from '../../bundle/layout.ts';
import { hashOfBytes } from '../../files/hash-file.ts';
import { type SealedRun, sealRun } from '../../job/measure/build-bundle.ts';
import { requireOwnPlaces } from '../../job/runs/attempt-folders.ts';
import { createJournal } from '../../journal/journal.ts';
import { JOURNAL_SCHEMA_ID, type JournalEvent } from '../../model/journal-events.ts';
import { type CollectedEvidence, readEpisodeFile } from '../../outcome/read-evidence.ts';
import { outcomeWithoutCell } from '../../outcome/unattributed.ts';
import { runId } from '../../plan/ids.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { evidenceFiles } from '../../queue/collect.ts';
import { secretMasker } from '../../screen/secret-scan.ts';
import { pathOfId } from '../../workspace/id-path.ts';
import { collectedRun, type GroupEvidence, type Judged, type SealGroupInput } from './collected-run.ts';
import type { SessionGroup } from './group-sessions.ts';

/** Copies the sessions' evidence into a bundle of its own and seals it. */
export async function sealGroup(input: SealGroupInput, evidence: GroupEvidence): Promise<SealedRun> {
  const { group, number, groups } = evidence;
  const { plan } = group;
  const id = runId({
    kind: 'cli',
    nowMs: input.nowMs,
    // Two groups of one suite are two runs.
    suite: `collect-${plan.suite}${groups === 1 ? '' : `-g${number}`}`,
    randomHex: input.randomHex,
  });
  const bundleDir = path.join(input.workspace, attemptFolder(id, 1));
  await requireOwnPlaces(input.workspace, id, 1);
  const events = eventsOf(input, id, { bundleDir, evidence });
  const journal = await createJournal(bundleDir, () => input.nowMs, secretMasker(input.secrets));
  await journal.append(...events);
  await journal.close();
  return sealRun({
    workspace: input.workspace,
    bundleDir,
    plan,
    run: collectedRun(input, id, evidence),
    template: input.template,
    secrets: input.secrets,
    complete: true,
  });
}

/** The journal of a collection; the evidence it names is copied on the way. */
function eventsOf(
  input: SealGroupInput,
  id: string,
  { bundleDir, evidence }: { readonly bundleDir: string; readonly evidence: GroupEvidence },
): JournalEvent[] {
  const { group, byId, logs } = evidence;
  const events: JournalEvent[] = [started(id, group)];
  const copy = (sessionId: string): JournalEvent[] => {
    const judged = byId.get(sessionId);
    if (judged === undefined) return [];
    return [archive(bundleDir, judged, readFiles(input.workspace, sessionId, logs))];
  };
  for (const { session, position, attempt } of group.members) {
    const { sessionId, target } = session;
    const cell = group.plan.cells[position];
    if (cell === undefined) continue;
    const place = { sessionId, position, sessionAttempt: attempt, cellTarget: target, cell };
    events.push({ type: 'intent', ...place }, ...copy(sessionId));
  }
  for (const { session, reason } of group.unattributed) {
    const { sessionId } = session;
    events.push({ type: 'unattributed', sessionId, reason });
    for (const event of copy(sessionId))
      events.push(event.type === 'collected' ? { ...event, outcome: outcomeWithoutCell(event) } : event);
  }
  return events;
}

function started(id: string, { plan }: SessionGroup): JournalEvent {
  return {
    type: 'started',
    schema: JOURNAL_SCHEMA_ID,
    runId: id,
    attempt: 1,
    planDigest: planDigest(plan),
    suite: plan.suite,
    resumes: [],
    identity: {},
  };
}

/** The session's files once more, for copying only: it was judged before. */
function readFiles(
  workspace: string,
  sessionId: string,
  logs: ReadonlyMap<string, string>,
): CollectedEvidence {
  const episodeFile = readEpisodeFile(workspace, sessionId);
  const unread = { session: null, log: null, episode: { state: 'absent' } } as const;
  return { sessionId, ...unread, logText: logs.get(sessionId) ?? null, episodeFile };
}

/** Copies a session's evidence; the originals stay, so nothing needs to be durable before the seal. */
function archive(bundleDir: string, { entry, found }: Judged, evidence: CollectedEvidence): JournalEvent {
  const { files, omitted } = evidenceFiles(evidence, entry);
  const folder = pathOfId(path.join(bundleDir, 'raw'), entry.id);
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(path.join(folder, file.name), file.content, { flag: 'wx' });
  return {
    type: 'collected',
    sessionId: entry.id,
    outcome: found.outcome,
    errorCode: found.errorCode,
    errorMessage: found.errorMessage,
    files: files.map(({ name, content }) => ({ name, ...hashOfBytes(content) })),
    omitted: [...omitted],
    startedAt: null,
    finishedAt: entry.updatedAt,
    durationMs: null,
  };
}
