import { setTimeout as sleep } from 'node:timers/promises';
import { endOfText } from '../base/json-text.ts';
import { type FileReading, readWithinNow } from '../files/read-within.ts';
import { loadYaml } from '../workspace/pyyaml.ts';
import type { EpisodeEvidence, SessionEvidence } from './evidence.ts';
import { withoutUnreadJson } from './prune-json.ts';

/** A late timeout of two 256 x 256 cameras takes 12.3 MB; nothing the runtime writes for an episode is far above. */
export const MAX_EPISODE_BYTES = 64 * 1024 * 1024;
/** LOG.md grows by about 350 bytes a session: room for 180,000 of them. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** The runtime writes LOG.md without a lock; a half-written one is read again. */
const LOG_TRIES = 5;
const LOG_RETRY_MS = 20;

/** Evidence together with the exact bytes it was read from, for the archive. */
export interface CollectedEvidence extends SessionEvidence {
  /** The session's entry of LOG.md as a small YAML document, null when absent. */
  readonly logText: string | null;
  readonly episodeFile: FileReading;
}

/**
 * Reads what the workspace holds about one session: its LOG.md entry and `artifacts/runtime/<id>/episode.json`
 * (that path only; the entry's own artifact_dir is not believed). `sessionEntry` is the parsed entry of SESSIONS.md,
 * null when it is gone. Call it when the entry is terminal: the runtime writes that last. Never throws for content;
 * what cannot be used is said in `episode.reason`. `logs` are the entries of LOG.md when they were read before
 * (`readLogs`), for collecting many sessions.
 */
export async function readEvidence(
  workspace: string,
  sessionId: string,
  sessionEntry: unknown,
  logs: ReadonlyMap<string, string> | null = null,
): Promise<CollectedEvidence> {
  const episodeFile = readEpisodeFile(workspace, sessionId);
  const logText = logs === null ? await readLogEntry(workspace, sessionId) : (logs.get(sessionId) ?? null);
  return {
    sessionId,
    session: sessionEntry ?? null,
    log: parseLogEntry(logText, sessionId),
    episode: parseEpisode(episodeFile),
    logText,
    episodeFile,
  };
}

/** `artifacts/runtime/<id>/episode.json` as bytes, without following any link. */
export function readEpisodeFile(workspace: string, sessionId: string): FileReading {
  return readWithinNow(workspace, ['artifacts', 'runtime', sessionId, 'episode.json'], MAX_EPISODE_BYTES);
}

async function readLogEntry(workspace: string, sessionId: string): Promise<string | null> {
  const text = await readLog(workspace);
  return text === null ? null : logEntryText(text, sessionId);
}

/** Every entry of LOG.md by session id, empty when there is no LOG.md. */
export async function readLogs(workspace: string): Promise<ReadonlyMap<string, string>> {
  const text = await readLog(workspace);
  return text === null ? new Map() : logEntries(text);
}

async function readLog(workspace: string): Promise<string | null> {
  for (let attempt = 1; ; attempt += 1) {
    const reading = readWithinNow(workspace, ['LOG.md'], MAX_LOG_BYTES);
    if (reading.state !== 'present') return null;
    const text = reading.bytes.toString('utf8');
    if (isWholeLog(text) || attempt === LOG_TRIES) return text;
    await sleep(LOG_RETRY_MS);
  }
}

/** The entry of a small document `{<session id>: {…}}`, or of one that is the entry itself; null when unreadable. */
export function parseLogEntry(text: string | null, sessionId: string): unknown {
  const value = parseYamlOrNull(text);
  if (typeof value !== 'object' || value === null) return null;
  const entry = Object.entries(value).find(([key]) => key === sessionId);
  return entry === undefined ? value : entry[1];
}

/** Null for text that is no YAML: unreadable is the same as absent, and the archive keeps the text. */
export function parseYamlOrNull(text: string | null): unknown {
  if (text === null) return null;
  try {
    return loadYaml(text);
  } catch {
    return null;
  }
}

/** Larger ones hold images, of which no outcome depends. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;

/**
 * Parses the file's content; NaN becomes null, see {@link parsePythonJson}. `forJudging` leaves out of a large one what no
 * outcome depends on.
 */
export function parseEpisode(file: FileReading, forJudging = false): EpisodeEvidence {
  if (file.state !== 'present') return file;
  const isLarge = forJudging && file.bytes.length > MAX_WHOLE_BYTES;
  const text = isLarge ? withoutUnreadJson(file.bytes) : file.bytes.toString('utf8');
  if (text === null) return { state: 'unreadable', reason: 'it is not JSON' };
  if (isLarge && text.length > MAX_WHOLE_BYTES) return { state: 'unreadable', reason: 'it says too much' };
  try {
    return { state: 'present', value: parsePythonJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { state: 'unreadable', reason: 'it is not JSON' };
  }
}

/**
 * The lines of one session in LOG.md, as a YAML map with the session id as its only key; null when there are none.
 * LOG.md is one big map that the runtime rewrites for every session, so looking for our id and parsing only its
 * lines keeps the cost of one collection flat. Pure.
 */
export function logEntryText(logText: string, sessionId: string): string | null {
  for (const key of [sessionId, JSON.stringify(sessionId), `'${sessionId.replaceAll("'", "''")}'`]) {
    const head = `\n  ${key}:`;
    for (let at = logText.indexOf(head); at !== -1; at = logText.indexOf(head, at + 1)) {
      const after = logText[at + head.length];
      if (after === '\n' || after === '\r' || after === ' ') return unindented(logText.slice(at + 1));
    }
  }
  return null;
}

/** Takes the key's line and every deeper line after it, and moves them two columns to the left. */
function unindented(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('    ') && line.trim() !== '');
  const own = lines.slice(0, end === -1 ? lines.length : end);
  return `${own
    .map((line) => line.slice(2))
    .join('\n')
    .trimEnd()}\n`;
}

/** False while the runtime is still writing the file: the block is not closed yet (its opening fence says `yaml`). */
export function isWholeLog(logText: string): boolean {
  return /^(?:`{3,}|~{3,})[ \t]*\r?$/m.test(logText);
}

/**
 * Every session's lines at once, for collecting many: the same texts as `logEntryText` gives one by one, found in one
 * pass. Keys are as written, without quotes.
 */
function logEntries(logText: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  const starts = [...logText.matchAll(/^ {2}(?![ \t\r\n#-])(.+?):[ \t]*\r?$/gm)];
  starts.forEach((match, index) => {
    const end = starts[index + 1]?.index ?? logText.length;
    entries.set(bareKey(match[1] ?? ''), unindented(logText.slice(match.index, end)));
  });
  return entries;
}

function bareKey(key: string): string {
  if (/^'.*'$/s.test(key)) return key.slice(1, -1).replaceAll("''", "'");
  return /^".*"$/s.test(key) ? key.slice(1, -1) : key;
}

/**
 * Parses JSON as Python's writer produces it: the bare words NaN, Infinity and -Infinity become null (unknown),
 * integers above 2^53 are rounded to the nearest number. Pure.
 * @throws SyntaxError when the text is no JSON even so.
 */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/\bNaN\b|\bInfinity\b/.test(text)) throw error;
    return JSON.parse(withoutBareWords(text));
  }
}

/** Strings are passed over, so that a word inside one stays; in one go, however many quotes there are. */
function withoutBareWords(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const quote = text.indexOf('"', at);
    const plain = quote === -1 ? text.slice(at) : text.slice(at, quote);
    parts.push(plain.replace(/-?Infinity|NaN/g, 'null'));
    if (quote === -1) return parts.join('');
    const end = endOfText(text, quote);
    if (end === -1) return parts.concat(text.slice(quote)).join('');
    parts.push(text.slice(quote, end + 1));
    at = end + 1;
  }
}
