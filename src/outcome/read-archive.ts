import type { OmittedFile } from '../journal/events.ts';
import type { SessionEvidence } from './evidence.ts';
import { MAX_EPISODE_BYTES, parseEpisode, parseLogEntry, parseYamlOrNull } from './read-evidence.ts';
import { type FileReading, readWithin } from './read-within.ts';

const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

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
  const read = (name: string, cap: number) => readWithin(attemptDir, ['raw', sessionId, name], cap);
  const session = await read(ARCHIVE_FILES.session, MAX_ENTRY_BYTES);
  const log = await read(ARCHIVE_FILES.log, MAX_ENTRY_BYTES);
  const episode = await read(ARCHIVE_FILES.episode, MAX_EPISODE_BYTES);
  return {
    sessionId,
    session: firstEntry(parseYamlOrNull(textOf(session))),
    log: parseLogEntry(textOf(log), sessionId),
    episode: parseEpisode(withReason(episode, omitted)),
  };
}

function textOf(file: FileReading): string | null {
  return file.state === 'present' ? file.bytes.toString('utf8') : null;
}

/** An entry cut out of a YAML list parses as a list of one. */
function firstEntry(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

function withReason(file: FileReading, omitted: readonly OmittedFile[]): FileReading {
  if (file.state !== 'absent') return file;
  const note = omitted.find((each) => each.name === ARCHIVE_FILES.episode);
  return note === undefined || note.reason === 'absent' ? file : { state: 'unreadable', reason: note.reason };
}
