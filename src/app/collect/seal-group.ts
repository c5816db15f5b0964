import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { hashOfBytes } from '../../bundle/hash-file.ts';
import { attemptFolder } from '../../bundle/layout.ts';
import { secretMasker } from '../../bundle/secret-scan.ts';
import { JOURNAL_SCHEMA_ID, type JournalEvent } from '../../journal/events.ts';
import { createJournal } from '../../journal/journal.ts';
import type { Classified } from '../../outcome/classify.ts';
import { type CollectedEvidence, readEpisodeFile } from '../../outcome/read-evidence.ts';
import { runId } from '../../plan/ids.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { evidenceFiles } from '../../queue/gather.ts';
import type { QueueEntry } from '../../queue/snapshot.ts';
import { RUN_SCHEMA_ID, type RunFacts } from '../../results/run-facts.ts';
import { pathOfId } from '../../workspace/id-path.ts';
import { type SealedRun, sealRun } from '../build-bundle.ts';
import type { SessionGroup } from './group-sessions.ts';

/** What all groups of one collection share. */
export interface SealGroupInput {
  /** Absolute. */
  readonly workspace: string;
  readonly tool: RunFacts['tool'];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Four random hex digits. */
  readonly randomHex: string;
  readonly secrets: readonly string[];
  /** Mustache text of the user's own report template, null for ours. */
  readonly template: string | null;
}

export interface Judged {
  readonly entry: QueueEntry;
  readonly found: Classified;
}

export interface GroupEvidence {
  readonly group: SessionGroup;
  readonly byId: ReadonlyMap<string, Judged>;
  readonly logs: ReadonlyMap<string, string>;
  /** What the report says about how its sessions were attributed. */
  readonly warnings: readonly string[];
}

/** Copies the sessions' evidence into a bundle of its own and seals it. */
export async function sealGroup(input: SealGroupInput, evidence: GroupEvidence): Promise<SealedRun> {
  const { group, byId, logs } = evidence;
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
    events.push(archive(bundleDir, judged, readFiles(input.workspace, sessionId, logs)));
  }
  const journal = await createJournal(bundleDir, () => input.nowMs, secretMasker(input.secrets));
  await journal.append(...events);
  await journal.close();
  return sealRun({
    workspace: input.workspace,
    bundleDir,
    plan,
    run: factsOf(input, id, evidence),
    template: input.template,
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

function factsOf(input: SealGroupInput, id: string, { group, warnings }: GroupEvidence): RunFacts {
  const now = new Date(input.nowMs).toISOString();
  const unknown = { endpoint: null, policyRef: null, checkpointDigest: null, imageDigest: null };
  const note =
    group.byTarget.length === 0
      ? null
      : `${group.byTarget.length} sessions without evidence by what their target is configured for`;
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
    discovery: { method: 'evidence of finished sessions', note },
    runtime: {},
    host: {},
    fingerprint: {},
    source: {},
    phases: [],
    warnings: [...warnings],
  };
}
