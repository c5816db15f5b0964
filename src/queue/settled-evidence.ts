import { lstatSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sha256Of } from '../base/sha256.ts';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { type CollectedEvidence, readEpisodeFile, readEvidence } from '../outcome/read-evidence.ts';
import { pathOfId, runtimeArtifacts } from '../workspace/id-path.ts';
import { RAW_FOLDER } from './archive.ts';
import type { ExecutionInput } from './execution.ts';
import type { SessionMemory } from './machine/run-memory.ts';

/** A writer that is not done by then is no runtime at the end of a session. */
const SETTLE_MS = 2_000;
const SETTLE_LOOK_MS = 100;
/** The runtime still rewrites LOG.md and SESSIONS.md after episode.json, so its own is older than this when it is read. */
const QUIET_MS = 10;
/** A session leaves a handful of files; what is beyond them is not looked at one by one. */
const MOST_FILES = 200;

/** The files of a session's artifact folder, by name. */
type FolderLook = ReadonlyMap<
  string,
  { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }
>;

interface Reading extends Pick<ExecutionInput, 'workspace' | 'clock' | 'signal'> {
  /** Told once when somebody goes on writing. */
  readonly onWriting: (message: string) => void;
}

/**
 * Reads a session's evidence between two looks at its artifact folder, until nothing moved between them. A writer that
 * goes on past a bound is named, and episode.json counts as unreadable then: half of it is no evidence. In the normal
 * case this costs two looks of some microseconds and no waiting.
 */
export async function readSettled(
  place: Reading,
  sessionId: string,
  body: unknown,
): Promise<CollectedEvidence> {
  const { workspace, clock, signal } = place;
  const until = clock.now() + SETTLE_MS;
  for (let wait = QUIET_MS; ; wait = SETTLE_LOOK_MS) {
    const before = lookAt(workspace, sessionId);
    const evidence = await readEvidence(workspace, sessionId, body);
    const after = lookAt(workspace, sessionId);
    const moving = movedBetween(before, after);
    // What is no JSON may be half of it, so its writer gets more time to go on.
    if (isFresh(after, clock.now(), isTorn(evidence) ? SETTLE_MS : QUIET_MS))
      moving.push(ARCHIVE_FILES.episode);
    if (moving.length === 0) return evidence;
    if (clock.now() >= until || signal.aborted) return afterBound(place, evidence, [...new Set(moving)]);
    await clock.sleep(wait, signal);
  }
}

function lookAt(workspace: string, sessionId: string): FolderLook {
  const folder = runtimeArtifacts(workspace, sessionId);
  const look = new Map<string, { ino: bigint; size: bigint; mtimeNs: bigint }>();
  try {
    if (!lstatSync(folder).isDirectory()) return look;
    for (const name of readdirSync(folder).slice(0, MOST_FILES)) {
      const { ino, size, mtimeNs } = lstatSync(path.join(folder, name), { bigint: true });
      look.set(name, { ino, size, mtimeNs });
    }
  } catch {
    // No folder, or a file that is gone already: what was seen is compared.
  }
  return look;
}

function movedBetween(before: FolderLook, after: FolderLook): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => !isDeepStrictEqual(before.get(name), after.get(name))).toSorted();
}

/** There, and no JSON: its writer may be in the middle of it. */
function isTorn({ episode, episodeFile }: CollectedEvidence): boolean {
  return episode.state === 'unreadable' && episodeFile.state === 'present';
}

/** Was episode.json written to within the last `ms`? A time far in the future is a clock of its own and tells nothing. */
function isFresh(look: FolderLook, nowMs: number, ms: number): boolean {
  const written = look.get(ARCHIVE_FILES.episode)?.mtimeNs;
  if (written === undefined) return false;
  return Math.abs(nowMs - Number(written) / 1e6) < ms;
}

function afterBound(
  { onWriting }: Reading,
  evidence: CollectedEvidence,
  moving: readonly string[],
): CollectedEvidence {
  if (moving.length > 0) onWriting(stillWritten(evidence.sessionId, moving));
  if (!moving.includes(ARCHIVE_FILES.episode)) return evidence;
  const unread = {
    state: 'unreadable',
    reason: 'it was still being written after the session had ended',
  } as const;
  return { ...evidence, episode: unread, episodeFile: unread };
}

function stillWritten(sessionId: string, names: readonly string[]): string {
  return `artifacts/runtime/${sessionId}: ${names.slice(0, 5).join(', ')} was still being written after the session had ended.`;
}

/**
 * Looks once more at what was collected: of which of these sessions was episode.json written to since then? Two `lstat`
 * for each session.
 */
export function rewrittenSince(input: ExecutionInput, sessions: readonly SessionMemory[]): readonly string[] {
  return sessions.filter((session) => wasWrittenSince(input, session)).map(({ sessionId }) => sessionId);
}

function wasWrittenSince(input: ExecutionInput, { sessionId, files }: SessionMemory): boolean {
  const archived = files.find(({ name }) => name === ARCHIVE_FILES.episode);
  if (archived === undefined) return false;
  const { episode } = ARCHIVE_FILES;
  const options = { bigint: true, throwIfNoEntry: false } as const;
  const now = lstatSync(path.join(runtimeArtifacts(input.workspace, sessionId), episode), options);
  const copy = lstatSync(
    path.join(pathOfId(path.join(input.bundleDir, RAW_FOLDER), sessionId), episode),
    options,
  );
  if (now === undefined || copy === undefined) return false;
  if (now.size === copy.size && now.mtimeNs < copy.mtimeNs) return false;
  const file = readEpisodeFile(input.workspace, sessionId);
  return file.state === 'present' && sha256Of(file.bytes) !== archived.sha256;
}
