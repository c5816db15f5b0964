import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { hashOfBytes } from '../../bundle/hash-file.ts';
import { attemptFolder } from '../../bundle/layout.ts';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import { JOURNAL_SCHEMA_ID, type JournalEvent } from '../../journal/events.ts';
import { createJournal } from '../../journal/journal.ts';
import { type Classified, classify, TERMINAL_STATUSES } from '../../outcome/classify.ts';
import { parseEntry } from '../../outcome/read-archive.ts';
import {
  type CollectedEvidence,
  readEpisodeFile,
  readEvidence,
  readLogs,
} from '../../outcome/read-evidence.ts';
import { readWithinNow } from '../../outcome/read-within.ts';
import { runId } from '../../plan/ids.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { evidenceFiles } from '../../queue/gather.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import type { QueueEntry } from '../../queue/snapshot.ts';
import { RUN_SCHEMA_ID, type RunFacts } from '../../results/run-facts.ts';
import { decideFromRecords } from '../../verdict/from-records.ts';
import { type SealedRun, sealRun } from '../build-bundle.ts';
import { finishedSession, isOurs } from './finished-session.ts';
import { type FinishedSession, groupSessions, type SessionGroup } from './group-sessions.ts';

/** 10,000 finished LIBERO entries take 100 MB; the runtime itself would need days for such a file. */
const MAX_SESSIONS_BYTES = 512 * 1024 * 1024;

export interface CollectInput {
  /** Absolute. */
  readonly workspace: string;
  /** Only these sessions; empty is every finished one that a benchmark of ours did not queue. */
  readonly sessionIds: readonly string[];
  readonly tool: RunFacts['tool'];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Four random hex digits. */
  readonly randomHex: string;
  readonly secrets: readonly string[];
}

/**
 * Makes one bundle and report per suite from finished sessions that others queued (evidence class `unplanned`).
 * Reads SESSIONS.md, LOG.md and episode.json files; changes no runtime document.
 * @throws RbError RB511 when SESSIONS.md cannot be read, RB512 for named sessions that are not there or not finished,
 * RB513 when there is nothing to collect.
 */
export async function collectSessions(input: CollectInput): Promise<readonly SealedRun[]> {
  const entries = finishedEntries(input);
  const logs = await readLogs(input.workspace);
  const sessions: FinishedSession[] = [];
  const byId = new Map<string, Judged>();
  for (const entry of entries) {
    const body = parseEntry(entry.text(), true);
    if (input.sessionIds.length === 0 && isOurs(body)) continue;
    const evidence = await readEvidence(input.workspace, entry.id, body, logs);
    const found = classify({ plan: null, cell: null, evidence });
    sessions.push(finishedSession(entry.id, body, found));
    byId.set(entry.id, { entry, found });
  }
  if (sessions.length === 0) throw nothing();
  const runs: SealedRun[] = [];
  for (const group of groupSessions(sessions)) runs.push(await sealGroup(input, { group, byId, logs }));
  return runs;
}

function finishedEntries({ workspace, sessionIds }: CollectInput): readonly QueueEntry[] {
  const reading = readWithinNow(workspace, ['SESSIONS.md'], MAX_SESSIONS_BYTES);
  if (reading.state !== 'present') {
    throw refusal(
      'RB511',
      'SESSIONS.md',
      reading.state === 'absent' ? 'There is none.' : `It cannot be read: ${reading.reason}.`,
    );
  }
  const snapshot = readSessionsText(reading.bytes.toString('utf8'));
  if (snapshot.fault !== null) throw refusal('RB511', 'SESSIONS.md', `It cannot be read: ${snapshot.fault}.`);
  const finished = [...snapshot.byId.values()].filter((entry) => TERMINAL_STATUSES.has(entry.status));
  if (sessionIds.length === 0) return finished;
  const wanted = new Set(sessionIds);
  const found = finished.filter((entry) => wanted.has(entry.id));
  const missing = sessionIds.filter((id) => !found.some((entry) => entry.id === id));
  if (missing.length > 0) {
    throw refusal('RB512', missing.slice(0, 5).join(', '), 'No finished entry of this id is in SESSIONS.md.');
  }
  return found;
}

interface Judged {
  readonly entry: QueueEntry;
  readonly found: Classified;
}

interface GroupEvidence {
  readonly group: SessionGroup;
  readonly byId: ReadonlyMap<string, Judged>;
  readonly logs: ReadonlyMap<string, string>;
}

async function sealGroup(input: CollectInput, { group, byId, logs }: GroupEvidence): Promise<SealedRun> {
  const { plan } = group;
  const id = runId({
    kind: 'cli',
    nowMs: input.nowMs,
    suite: `collect-${plan.suite}`,
    randomHex: input.randomHex,
  });
  const bundleDir = path.join(input.workspace, attemptFolder(id, 1));
  const events: JournalEvent[] = [started(id, group)];
  for (const { sessionId, position } of group.members) {
    const judged = byId.get(sessionId);
    const cell = plan.cells[position];
    if (judged === undefined || cell === undefined) continue;
    events.push({ type: 'intent', sessionId, position, sessionAttempt: 0, cellTarget: group.target, cell });
    const evidence = readFiles(input.workspace, sessionId, logs);
    events.push(archive(bundleDir, judged, evidence));
  }
  const journal = await createJournal(bundleDir, () => input.nowMs);
  await journal.append(...events);
  await journal.close();
  return sealRun({
    workspace: input.workspace,
    bundleDir,
    plan,
    run: factsOf(input, id, group),
    decide: (own, records) => decideFromRecords(own, records),
    template: null,
    secrets: input.secrets,
    complete: true,
  });
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
  const folder = path.join(bundleDir, 'raw', entry.id);
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

function factsOf(input: CollectInput, id: string, group: SessionGroup): RunFacts {
  const now = new Date(input.nowMs).toISOString();
  const unknown = { endpoint: null, policyRef: null, checkpointDigest: null, imageDigest: null };
  const method =
    group.tasksBy === 'evidence' ? 'evidence of finished sessions' : 'prompts of finished sessions';
  return {
    schema: RUN_SCHEMA_ID,
    runId: id,
    attempt: 1,
    planDigest: planDigest(group.plan),
    evidenceClass: 'unplanned',
    tool: input.tool,
    startedAt: null,
    sealedAt: now,
    shard: null,
    positions: null,
    target: { id: group.target, endpoint: null, kind: null },
    arms: [{ arm: 'candidate', ...unknown, metadataBefore: null, metadataAfter: null, changed: null }],
    discovery: { method, note: null },
    runtime: {},
    host: {},
    fingerprint: {},
    source: {},
    phases: [],
    warnings: [],
  };
}

function nothing(): RbError {
  return refusal('RB513', 'SESSIONS.md', 'There is no finished session that somebody else queued.');
}

function refusal(code: 'RB511' | 'RB512' | 'RB513', where: string, message: string): RbError {
  const fix = 'Name a workspace whose SESSIONS.md lists finished sessions, and sessions that are in it.';
  return new RbError(EXIT.refused, [{ code, where, message, fix, severity: 'fatal' }]);
}
