import * as path from 'node:path';
import { readJournal } from '../journal/journal.ts';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { parseYamlOrNull } from '../outcome/read-evidence.ts';
import { isMapping } from '../workspace/shape.ts';
import { archiveEvidence, type EvidenceFile, RAW_FOLDER, readArchive } from './archive.ts';
import type { ExecutionInput } from './execution.ts';
import type { EarlierJournal } from './machine/commands.ts';
import type { SessionEntry } from './machine/session-entry.ts';
import { recordingBeside } from './session-recording.ts';
import { sweptRawFolder } from './sweep.ts';

/** The journals of the attempts that this one continues, oldest first. */
export async function earlierJournals({ resume }: ExecutionInput): Promise<readonly EarlierJournal[]> {
  const attempts: EarlierJournal[] = [];
  for (const { attempt, bundleDir } of resume) attempts.push({ attempt, ...(await readJournal(bundleDir)) });
  return attempts;
}

/** The evidence of a session copied from the first place that has it; null when none has. */
export async function copyArchive(
  input: ExecutionInput,
  sessionId: string,
): Promise<{ readonly body: unknown } | null> {
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
    return { body: entryIn(files) };
  }
  return null;
}

/** Entries as they were archived in this attempt; sessions without one are left out. */
export async function archivedEntries(
  { bundleDir }: ExecutionInput,
  sessionIds: readonly string[],
): Promise<readonly SessionEntry[]> {
  const entries: SessionEntry[] = [];
  for (const sessionId of sessionIds) {
    const entry = entryIn(await readArchive(path.join(bundleDir, RAW_FOLDER), sessionId));
    if (isMapping(entry)) entries.push(entry);
  }
  return entries;
}

/** The session as it stood in SESSIONS.md: a list of one. */
function entryIn(files: readonly EvidenceFile[]): unknown {
  const file = files.find(({ name }) => name === ARCHIVE_FILES.session);
  const value = parseYamlOrNull(file === undefined ? null : Buffer.from(file.content).toString('utf8'));
  return Array.isArray(value) ? (value[0] ?? null) : value;
}
