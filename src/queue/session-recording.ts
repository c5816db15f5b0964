import * as path from 'node:path';
import type { ArchivedFile, OmittedFile } from '../model/journal-events.ts';
import { RECORDING_FILE } from '../model/policy-recording.ts';
import { type EvidenceFile, RAW_FOLDER } from './archive.ts';
import type { ExecutionInput } from './execution.ts';
import type { SessionMemory } from './machine/run-memory.ts';
import { leftRecording } from './policy-recorder.ts';

/** What a relay recorded of a session that is over, for its archive: by this process, or by one that ended. */
export async function recordingOf(input: ExecutionInput, session: SessionMemory): Promise<EvidenceFile[]> {
  const { sessionId, relay } = session;
  if (relay === null) return [];
  const content = (await input.recorder?.take(sessionId)) ?? leftBy(input, sessionId);
  return content === null ? [] : [{ name: RECORDING_FILE, content }];
}

/**
 * What belongs to an archive that a sweep saved: it has what the workspace has, and the recording lies beside the attempt
 * that queued the session.
 */
export function recordingBeside(
  input: ExecutionInput,
  sessionId: string,
  files: readonly EvidenceFile[],
): readonly EvidenceFile[] {
  if (input.recorder === null || files.some(({ name }) => name === RECORDING_FILE)) return [];
  const content = leftBy(input, sessionId);
  return content === null ? [] : [{ name: RECORDING_FILE, content }];
}

function leftBy({ resume, bundleDir }: ExecutionInput, sessionId: string): Uint8Array | null {
  const attempts = [...resume.map((earlier) => earlier.bundleDir), bundleDir];
  return leftRecording(
    attempts.map((folder) => path.join(folder, RAW_FOLDER)),
    sessionId,
  );
}

/** Says of a session behind a relay that no recording of it is left; nothing to say of any other. */
export function unrecorded(session: SessionMemory, files: readonly ArchivedFile[]): OmittedFile[] {
  if (session.relay === null || files.some(({ name }) => name === RECORDING_FILE)) return [];
  return [{ name: RECORDING_FILE, reason: 'absent' }];
}
