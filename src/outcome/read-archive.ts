import { lstatSync } from 'node:fs';
import * as path from 'node:path';
import { type FileReading, fileFailure, readPlainFile, readWithinNow } from '../files/read-within.ts';
import type { OmittedFile } from '../model/journal-events.ts';
import {
  MAX_RECORDING_BYTES,
  type PolicyRecording,
  parseRecording,
  RECORDING_FILE,
} from '../model/policy-recording.ts';
import { pathOfId } from '../workspace/id-path.ts';
import type { SessionEvidence } from './evidence.ts';
import { withoutUnread } from './prune-yaml.ts';
import { MAX_EPISODE_BYTES, parseEpisode, parseLogEntry, parseYamlOrNull } from './read-evidence.ts';

/** A LIBERO entry has 5 kB, and 200 bytes more for each chunk of actions. */
export const MAX_ENTRY_BYTES = 4 * 1024 * 1024;

const MAX_READ_CHARACTERS = 2 * 1024 * 1024;

/** Files of `raw/<session id>/`. */
export const ARCHIVE_FILES = { session: 'session.yaml', log: 'log.yaml', episode: 'episode.json' } as const;

/**
 * Reads a session's evidence back from `<attemptDir>/raw/<session id>/`, so that everything can be judged again
 * without the workspace. `omitted` comes from the journal: why a file was not archived (`absent`, or a reason).
 */
export async function readArchivedEvidence(
  attemptDir: string,
  sessionId: string,
  omitted: readonly OmittedFile[],
): Promise<SessionEvidence> {
  return readArchivedEvidenceNow(attemptDir, sessionId, omitted);
}

/**
 * The same without waiting: a run has thousands of sessions with three small files each. `forJudging` leaves out what
 * no outcome depends on, which is most of an entry.
 */
export function readArchivedEvidenceNow(
  attemptDir: string,
  sessionId: string,
  omitted: readonly OmittedFile[],
  forJudging = false,
): SessionEvidence {
  const folder = pathOfId(path.join(attemptDir, 'raw'), sessionId);
  const usable = isPlainFolder(path.join(attemptDir, 'raw')) && isPlainFolder(folder);
  const read = (name: string, cap: number): FileReading =>
    usable ? readOrReason(path.join(folder, name), cap) : { state: 'absent' };
  return {
    sessionId,
    session: parseEntry(textOf(read(ARCHIVE_FILES.session, MAX_ENTRY_BYTES)), forJudging),
    log: parseLogEntry(textOf(read(ARCHIVE_FILES.log, MAX_READ_CHARACTERS)), sessionId),
    episode: parseEpisode(withReason(read(ARCHIVE_FILES.episode, MAX_EPISODE_BYTES), omitted), forJudging),
  };
}

/** What a relay recorded of a session's policy; null when its archive has no such file, or one that is not readable. */
export function readRecordingNow(attemptDir: string, sessionId: string): PolicyRecording | null {
  const reading = readWithinNow(attemptDir, ['raw', sessionId, RECORDING_FILE], MAX_RECORDING_BYTES);
  return parseRecording(textOf(reading), sessionId);
}

/** Each file is made a value before the next is read, so one buffer serves them all. */
const sharedBuffer = Buffer.allocUnsafe(64 * 1024);

/** A link in place of a folder counts as no folder. */
function isPlainFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readOrReason(file: string, maxBytes: number): FileReading {
  try {
    return readPlainFile(file, maxBytes, sharedBuffer);
  } catch (error) {
    return fileFailure(error);
  }
}

function textOf(file: FileReading): string | null {
  return file.state === 'present' ? file.bytes.toString('utf8') : null;
}

/** One entry's text as a value; cut out of a YAML list it parses as a list of one. Null when it is no YAML. */
export function parseEntry(text: string | null, forJudging: boolean): unknown {
  const read = text !== null && forJudging ? withoutUnread(text) : text;
  // Far above any entry without its chunks, and far below what fills a host's memory.
  const value = read !== null && read.length > MAX_READ_CHARACTERS ? null : parseYamlOrNull(read);
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

function withReason(file: FileReading, omitted: readonly OmittedFile[]): FileReading {
  if (file.state !== 'absent') return file;
  const note = omitted.find((each) => each.name === ARCHIVE_FILES.episode);
  return note === undefined || note.reason === 'absent' ? file : { state: 'unreadable', reason: note.reason };
}
