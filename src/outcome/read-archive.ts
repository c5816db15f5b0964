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

/** Of one who judges many sessions. Each file is made a value before the next is read, so one buffer serves them all. */
interface Judging {
  readonly buffer: Buffer;
}

export const forJudging = (): Judging => ({ buffer: Buffer.allocUnsafe(64 * 1024) });

/**
 * The same without waiting: a run has thousands of sessions with three small files each.
 * @param judging given by who only judges: what no outcome depends on, most of an entry, is left out then.
 */
export function readArchivedEvidenceNow(
  attemptDir: string,
  sessionId: string,
  omitted: readonly OmittedFile[],
  judging: Judging | null = null,
): SessionEvidence {
  const folder = pathOfId(path.join(attemptDir, 'raw'), sessionId);
  const usable = isPlainFolder(path.join(attemptDir, 'raw')) && isPlainFolder(folder);
  const read = (name: string, cap: number): FileReading =>
    usable ? readOrReason(path.join(folder, name), cap, judging?.buffer) : { state: 'absent' };
  const isJudged = judging !== null;
  return {
    sessionId,
    session: parseEntry(textOf(read(ARCHIVE_FILES.session, MAX_ENTRY_BYTES)), isJudged),
    log: parseLogEntry(textOf(read(ARCHIVE_FILES.log, MAX_READ_CHARACTERS)), sessionId),
    episode: parseEpisode(withReason(read(ARCHIVE_FILES.episode, MAX_EPISODE_BYTES), omitted), isJudged),
  };
}

/** What a relay recorded of a session's policy; null when its archive has no such file, or one that is not readable. */
export function readRecordingNow(attemptDir: string, sessionId: string): PolicyRecording | null {
  const reading = readWithinNow(attemptDir, ['raw', sessionId, RECORDING_FILE], MAX_RECORDING_BYTES);
  return parseRecording(textOf(reading), sessionId);
}

/** A link in place of a folder counts as no folder. */
function isPlainFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readOrReason(file: string, maxBytes: number, buffer: Buffer | undefined): FileReading {
  try {
    return readPlainFile(file, maxBytes, buffer);
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

/**
 * Keys of a session entry that no outcome depends on and that make up most of its text: one map per action chunk,
 * settings of the queue, defaults that the runtime writes out.
 */
const UNREAD =
  /^( *(?:- )?)(?:chunks|runtime_hints|safety_profile|depends_on|evidence_policy|timeline|outputs|action_shape):$/;

/**
 * Removes these subtrees from the block-style text that the runtime writes, so that it parses several times faster.
 * Only text in which every scalar ends on its own line is touched (no quoted text over several lines, no literal or
 * folded blocks, no flow maps over lines): there, a line's indentation alone says to which key it belongs. Anything
 * else is returned as it is. Pure.
 */
export function withoutUnread(text: string): string {
  const lines = text.split('\n');
  if (!lines.every(standsAlone)) return text;
  const kept: string[] = [];
  let below = -1;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const inside = below >= 0 && (indent > below || (indent === below && line.startsWith('- ', indent)));
    if (inside && line.trim() !== '') continue;
    below = -1;
    const match = UNREAD.exec(line);
    if (match === null) kept.push(line);
    else {
      // In `- chunks:` the key stands two columns to the right of the dash.
      below = (match[1] ?? '').length;
      kept.push(`${line} null`);
    }
  }
  return kept.join('\n');
}

/** False for a line that opens something which goes on in the next one, or might. */
function standsAlone(line: string): boolean {
  if (/[|>][-+0-9]*$/.test(line) || /[[{,]$/.test(line)) return false;
  return evenly(line, "'") && evenly(line, '"');
}

function evenly(line: string, quote: string): boolean {
  let even = true;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) even = !even;
  return even;
}
