import { errorOf, type RbError } from '../errors/rb-error.ts';
import { addTargets } from '../workspace/add-targets.ts';
import { dumpYaml } from '../workspace/dump-yaml.ts';
import { findYamlBlock } from '../workspace/fenced-block.ts';
import { loadYaml } from '../workspace/pyyaml.ts';
import { isMapping } from '../workspace/shape.ts';
import { removeTargets } from '../workspace/target-edits.ts';
import { equalValues } from './equality.ts';
import type { CellTarget, TargetsEdit } from './machine/edits.ts';

/** Entries of TARGETS.md by id; empty when it cannot be read, which is for the preconditions to tell. */
export function readTargetsText(text: string): ReadonlyMap<string, unknown> {
  const entries = new Map<string, unknown>();
  const block = findYamlBlock(text);
  if ('problem' in block) return entries;
  let document: unknown;
  try {
    document = loadYaml(block.body);
  } catch {
    return entries;
  }
  const targets = isMapping(document) ? document.targets : null;
  if (!Array.isArray(targets)) return entries;
  for (const entry of targets) {
    if (isMapping(entry) && typeof entry.id === 'string' && !entries.has(entry.id))
      entries.set(entry.id, entry);
  }
  return entries;
}

/**
 * TARGETS.md with our cell targets put in and taken out; every other byte stays. Equal text when there is nothing to do.
 * @throws RbError RB404 when somebody else's entry has the id of a cell target; RB2xx for documents we do not edit.
 */
export function editTargetsText(text: string, edit: TargetsEdit): string {
  const present = readTargetsText(text);
  const gone = new Set(edit.remove.filter((id) => present.has(id)));
  const fresh: CellTarget[] = [];
  for (const target of edit.add) {
    const before = present.get(target.id);
    if (before !== undefined && !gone.has(target.id)) {
      if (equalsEntry(before, target)) continue;
      if (edit.repair !== true) throw taken(target.id);
      gone.add(target.id);
    }
    fresh.push(target);
  }
  const without = gone.size === 0 ? text : removeTargets(text, gone);
  return addTargets(
    without,
    fresh.map(({ entry }) => entry),
  );
}

/** As it comes back from the file: a number may have changed its kind on the way. */
export function equalsEntry(found: unknown, target: CellTarget): boolean {
  return equalValues(found, loadYaml(dumpYaml(target.entry)));
}

function taken(id: string): RbError {
  return errorOf('RB404', {
    where: 'TARGETS.md targets',
    message: 'An entry has the id of one of our cell targets, but other content.',
    value: id,
  });
}
