import { type BlockList, sliceBlockList, withItems, withoutItems } from './block-list.ts';
import { findYamlBlock, renderDocument } from './fenced-block.ts';
import { refusal } from './problems.ts';
import { dumpYaml, loadYaml, YamlError } from './pyyaml.ts';
import { type SessionScan, scanSessions } from './session-scan.ts';
import { isMapping } from './shape.ts';

/** An edited SESSIONS.md. `whole`: the document could not be cut, so it was written anew, as the runtime always does. */
export interface SessionsEdit {
  readonly text: string;
  readonly how: 'slices' | 'whole';
}

/**
 * Adds entries (mappings with the document's own key names) after the last one. Every byte of the other entries stays as
 * it is when the document can be cut; otherwise all is written anew with equal content. Throws RbError RB202/RB203/RB204
 * for a document the runtime would refuse, RB209 for an id that is already there.
 */
export function appendSessions(text: string, entries: readonly Record<string, unknown>[]): SessionsEdit {
  if (entries.length === 0) return { text, how: 'slices' };
  const { ids, list } = look(text);
  const known = new Set(ids);
  for (const entry of entries) {
    const id = idOf(entry);
    if (id === null || known.has(id)) throw duplicate(id);
    known.add(id);
  }
  if (list !== null) return { text: withItems(text, list, dumpYaml(entries)), how: 'slices' };
  return rewritten(text, (all) => [...all, ...entries]);
}

/** Takes entries out by id; ids that are not there are no error. Otherwise as {@link appendSessions}. */
export function removeSessions(text: string, gone: Iterable<string>): SessionsEdit {
  const unwanted = new Set(gone);
  const { ids, list } = look(text);
  const positions = new Set(ids.flatMap((id, index) => (id !== null && unwanted.has(id) ? [index] : [])));
  if (positions.size === 0) return { text, how: 'slices' };
  if (list !== null) return { text: withoutItems(text, list, positions), how: 'slices' };
  return rewritten(text, (all) => all.filter((_entry, index) => !positions.has(index)));
}

/** The ids in the document's order, and the list when it can be cut into exactly these entries. */
function look(text: string): { ids: (string | null)[]; list: BlockList | null } {
  const list = sliceBlockList(text, 'sessions');
  const scan = scanSessions(text);
  // Parsing thousands of entries takes seconds; the layout the runtime writes needs none.
  if (!('problem' in list) && !('problem' in scan) && sameCuts(list, scan)) {
    return { ids: scan.slices.map((slice) => slice.sessionId), list };
  }
  const sessions = readSessions(text);
  return {
    ids: sessions.map(idOf),
    list: 'problem' in list || list.items.length !== sessions.length ? null : list,
  };
}

/** Two different ways to cut, one careful and one quick, must find the same entries. */
function sameCuts(list: BlockList, scan: SessionScan): boolean {
  return (
    list.items.length === scan.slices.length &&
    list.items.every((item, index) => item.start === scan.slices[index]?.start)
  );
}

function idOf(entry: unknown): string | null {
  const id = entry instanceof Map ? entry.get('session_id') : isMapping(entry) ? entry['session_id'] : null;
  return typeof id === 'string' ? id : null;
}

function duplicate(id: string | null): Error {
  return refusal({
    code: 'RB209',
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
    throw refusal({
      code: 'RB202',
      where: 'SESSIONS.md',
      message: `${block.problem}.`,
      fix: 'Write the document as one block that opens with ```yaml and closes with ```.',
    });
  }
  try {
    const document = loadYaml(block.body, { keepTypes: true }) ?? new Map();
    if (document instanceof Map) return document;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refusal({
      code: 'RB203',
      where: error.line === null ? 'SESSIONS.md' : `SESSIONS.md line ${block.firstLine + error.line - 1}`,
      message: `${error.message}.`,
      fix: 'Mend the YAML; the runtime refuses the whole document as well.',
    });
  }
  throw shapeProblem('the block is not a mapping.');
}

function shapeProblem(message: string): Error {
  return refusal({
    code: 'RB204',
    where: 'SESSIONS.md',
    message,
    fix: 'Write `version: runtime_sessions_v1` and a list `sessions:`.',
  });
}

function rewritten(text: string, change: (all: unknown[]) => unknown[]): SessionsEdit {
  const document = readWhole(text);
  document.set('sessions', change(readSessions(text)));
  return { text: renderDocument('Runtime Sessions', dumpYaml(document)), how: 'whole' };
}
