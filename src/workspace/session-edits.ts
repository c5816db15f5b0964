import { isDeepStrictEqual } from 'node:util';
import { errorOf, refusal } from '../errors/rb-error.ts';
import { type BlockList, contentEnd, fitted, sliceBlockList, withItems, withoutItems } from './block-list.ts';
import { dumpYaml } from './dump-yaml.ts';
import { findYamlBlock, renderDocument } from './fenced-block.ts';
import { loadYaml, YamlError } from './pyyaml.ts';
import { rewrittenYaml } from './rewritten-yaml.ts';
import { yamlProblem } from './runtime-document.ts';
import { isSoleList, type SessionScan, scanSessions } from './session-scan.ts';
import { isMapping } from './shape.ts';

/** An edited SESSIONS.md. `whole`: the document could not be cut, so it was written anew, as the runtime always does. */
interface SessionsEdit {
  readonly text: string;
  readonly how: 'slices' | 'whole';
}

/**
 * Adds entries (mappings with the document's own key names) after the last one. Every byte of the other entries stays as
 * it is when the document can be cut; otherwise all is written anew with equal content. Throws RbError RB202/RB203/RB204/RB222
 * for a document the runtime would refuse, RB209 for an id that is already there.
 */
export function appendSessions(text: string, entries: readonly Record<string, unknown>[]): SessionsEdit {
  if (entries.length === 0) return { text, how: 'slices' };
  const quick = quickScan(text);
  const list = quick === null ? sliceBlockList(text, 'sessions') : null;
  const sessions = quick === null ? readSessions(text) : [];
  const known = new Set(quick === null ? sessions.map(idOf) : quick.slices.map(({ sessionId }) => sessionId));
  for (const entry of entries) {
    const id = idOf(entry);
    if (id === null || known.has(id)) throw duplicate(id);
    known.add(id);
  }
  const yaml = dumpYaml(entries);
  if (quick !== null && !dependsOnItsEnd(text, quick.slices.at(-1), quick.block.end))
    return { text: quickAppend(text, quick, yaml), how: 'slices' };
  const usable = quick === null ? usableList(list, sessions.length) : null;
  if (usable !== null && !dependsOnItsEnd(text, usable.items.at(-1), usable.block.end))
    return { text: withItems(text, usable, yaml), how: 'slices' };
  return rewritten(text, (all) => [...all, ...entries]);
}

/** Takes entries out by id; ids that are not there are no error. Otherwise as {@link appendSessions}. */
export function removeSessions(text: string, gone: Iterable<string>): SessionsEdit {
  const unwanted = new Set(gone);
  const quick = quickScan(text);
  const removed = quick === null ? null : quickRemove(text, quick, unwanted);
  if (removed !== null) return { text: removed, how: 'slices' };
  const sessions = readSessions(text);
  const positions = new Set(
    sessions.flatMap((each, index) => (unwanted.has(idOf(each) ?? '') ? [index] : [])),
  );
  if (positions.size === 0) return { text, how: 'slices' };
  const list = usableList(sliceBlockList(text, 'sessions'), sessions.length);
  const cut = list === null ? null : withoutItems(text, list, positions);
  const keepsItsLast = list !== null && !positions.has(list.items.length - 1);
  if (cut !== null && (keepsItsLast || !lastDependsOnItsEnd(sliceBlockList(cut, 'sessions'), cut)))
    return { text: cut, how: 'slices' };
  return rewritten(text, (all) => all.filter((_entry, index) => !positions.has(index)));
}

/** The list when it could be cut into exactly the entries that the parser found. */
function usableList(
  list: BlockList | { readonly problem: string } | null,
  expected: number,
): BlockList | null {
  return list === null || 'problem' in list || list.items.length !== expected ? null : list;
}

/** The cuts of a document in the layout the runtime writes; parsing thousands of entries would take seconds. */
function quickScan(text: string): SessionScan | null {
  const scan = scanSessions(text);
  return 'problem' in scan || scan.slices.length === 0 || !isSoleList(text, scan) ? null : scan;
}

/**
 * Whether an entry reads otherwise at the very end of the block than in front of another one. The runtime takes the last
 * line end of the block for the fence's, so a text block (`|`, `>`) that stands last has none; and `|+` keeps blank lines.
 */
function dependsOnItsEnd(
  text: string,
  entry: { readonly start: number; readonly end: number } | undefined,
  bodyEnd: number,
): boolean {
  if (entry === undefined || entry.end < bodyEnd) return false;
  const written = text.slice(entry.start, bodyEnd);
  if (!/[|>]/.test(written)) return false;
  try {
    return !isDeepStrictEqual(loadYaml(written), loadYaml(`${written}\n`));
  } catch {
    // An alias of another entry: nothing can be said about it alone.
    return true;
  }
}

function lastDependsOnItsEnd(list: BlockList | { readonly problem: string }, text: string): boolean {
  return 'problem' in list || dependsOnItsEnd(text, list.items.at(-1), list.block.end);
}

/** At the end of the list, whatever the last entry holds. */
function quickAppend(text: string, scan: SessionScan, yaml: string): string {
  const end = scan.slices.at(-1)?.end ?? scan.block.end;
  // The body ends before the line end that the closing fence stands behind.
  const at = end === scan.block.end ? end + scan.block.lineEnd.length : end;
  return text.slice(0, at) + fitted(yaml, scan) + text.slice(at);
}

/** Null when it must be done another way: an emptied list, or a slice that is not what it seems. */
function quickRemove(text: string, scan: SessionScan, unwanted: ReadonlySet<string>): string | null {
  const gone = scan.slices.filter(({ sessionId }) => unwanted.has(sessionId));
  if (gone.length === scan.slices.length) return null;
  let result = '';
  let from = 0;
  for (const { sessionId, start, end } of gone) {
    const limit = end === scan.block.end ? end + scan.block.lineEnd.length : end;
    const stop = contentEnd(text, start, limit);
    if (!isEntry(text.slice(start, stop), sessionId)) return null;
    result += text.slice(from, start);
    from = stop;
  }
  result += text.slice(from);
  if (gone.at(-1) !== scan.slices.at(-1)) return result;
  const now = quickScan(result);
  return now === null || dependsOnItsEnd(result, now.slices.at(-1), now.block.end) ? null : result;
}

function isEntry(slice: string, id: string): boolean {
  try {
    const list = loadYaml(slice);
    return Array.isArray(list) && list.length === 1 && idOf(list[0]) === id;
  } catch {
    return false;
  }
}

function idOf(entry: unknown): string | null {
  const id = entry instanceof Map ? entry.get('session_id') : isMapping(entry) ? entry['session_id'] : null;
  return typeof id === 'string' ? id : null;
}

function duplicate(id: string | null): Error {
  return errorOf('RB209', {
    where: 'SESSIONS.md sessions',
    message: id === null ? 'a new entry has no session_id.' : `there is already a session ${id}.`,
    fix: 'Remove the old entry with that session_id, or start a new run.',
  });
}

function readSessions(text: string): unknown[] {
  const document = readWhole(text);
  const sessions = document.get('sessions') ?? (document.has('sessions') ? null : []);
  if (Array.isArray(sessions)) return sessions;
  throw shapeProblem('`sessions` is not a list.');
}

/** The document with kinds of numbers and keys kept, so that writing it anew changes nothing. */
function readWhole(text: string): Map<unknown, unknown> {
  const block = findYamlBlock(text);
  if ('problem' in block) {
    throw errorOf('RB202', {
      fix: 'Write the document as one block that opens with ```yaml and closes with ```.',
      where: 'SESSIONS.md',
      message: `${block.problem}.`,
    });
  }
  try {
    const document = loadYaml(block.body, { keepTypes: true }) ?? new Map();
    if (document instanceof Map) return document;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refusal(yamlProblem(error, 'SESSIONS.md', block.firstLine));
  }
  throw shapeProblem('the block is not a mapping.');
}

function shapeProblem(message: string): Error {
  return errorOf('RB204', {
    where: 'SESSIONS.md',
    message,
    fix: 'Write `version: runtime_sessions_v1` and a list `sessions:`.',
  });
}

function rewritten(text: string, change: (all: unknown[]) => unknown[]): SessionsEdit {
  const document = readWhole(text);
  document.set('sessions', change(readSessions(text)));
  return { text: renderDocument('Runtime Sessions', rewrittenYaml(document, 'SESSIONS.md')), how: 'whole' };
}
