import { isDeepStrictEqual } from 'node:util';
import { refusal } from '../errors/rb-error.ts';
import { type BlockList, sliceBlockList, withItems, withoutItems } from './block-list.ts';
import { findYamlBlock } from './fenced-block.ts';
import { loadYaml, YamlError } from './pyyaml.ts';
import { yamlProblem } from './runtime-document.ts';
import { isMapping } from './shape.ts';

/**
 * Puts targets behind the last one in TARGETS.md. Every other byte stays: comments, line ends, other entries.
 * @param written YAML of a list of them in block style, mappings with the document's own key names.
 * @throws RbError RB212 when the document's list is not in block style, RB202/RB203 when the runtime could not read it,
 * RB209 when an id is already there.
 */
export function addWrittenTargets(text: string, written: string): string {
  const { list, targets } = read(text);
  const known = new Set(targets.map(idOf));
  // Ours as they come back from text, because they may hold numbers that are written with a point.
  const parsed = loadYaml(written);
  const ours: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  for (const id of ours.map(idOf)) {
    if (id === null) throw refuse('RB209', 'a new entry has no id.', 'Use another id.');
    if (known.has(id)) throw refuse('RB209', `there is already a target ${id}.`, 'Use another id.');
    known.add(id);
  }
  const edited = withItems(text, list, written);
  verify(edited, [...targets, ...ours]);
  return edited;
}

/** Takes targets out of TARGETS.md by id; ids that are not there are no error. Otherwise as {@link addWrittenTargets}. */
export function removeTargets(text: string, ids: Iterable<string>): string {
  const gone = new Set(ids);
  const { list, targets } = read(text);
  const positions = new Set(targets.flatMap((entry, index) => (gone.has(idOf(entry) ?? '') ? [index] : [])));
  if (positions.size === 0) return text;
  const edited = withoutItems(text, list, positions);
  verify(
    edited,
    targets.filter((_entry, index) => !positions.has(index)),
  );
  return edited;
}

function idOf(entry: unknown): string | null {
  return isMapping(entry) && typeof entry['id'] === 'string' ? entry['id'] : null;
}

function refuse(code: 'RB202' | 'RB209' | 'RB212', message: string, fix: string): Error {
  return refusal({ code, where: 'TARGETS.md', message, fix });
}

function read(text: string): { list: BlockList; targets: unknown[] } {
  const targets = parse(text);
  const list = sliceBlockList(text, 'targets');
  const problem = 'problem' in list ? list.problem : 'the entries cannot be told apart';
  if ('problem' in list || list.items.length !== targets.length) {
    throw refuse(
      'RB212',
      `${problem}.`,
      'Write the targets as a list in block style, one `- id: …` per target.',
    );
  }
  return { list, targets };
}

function parse(text: string): unknown[] {
  const block = findYamlBlock(text);
  if ('problem' in block)
    throw refuse('RB202', `${block.problem}.`, 'Write the document as one ```yaml block.');
  let document: unknown;
  try {
    document = loadYaml(block.body);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refusal(yamlProblem(error, 'TARGETS.md', block.firstLine));
  }
  const targets = isMapping(document) ? document['targets'] : null;
  if (!Array.isArray(targets))
    throw refuse('RB212', 'there is no list `targets`.', 'Write the targets as a list.');
  return targets;
}

/** The edit is text; that it means what it should is checked before anybody writes it. */
function verify(edited: string, expected: readonly unknown[]): void {
  if (isDeepStrictEqual(parse(edited), expected)) return;
  throw refuse(
    'RB212',
    'the edited document would not mean the same to the runtime.',
    'Write the targets as a plain list in block style, without anchors, and no text block (`|`) at its very end.',
  );
}
