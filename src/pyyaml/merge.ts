import { type MappingNode, MERGE_TAG, type Node, STR_TAG, VALUE_TAG } from './nodes.ts';
import { refuse } from './yaml-error.ts';

const CONTEXT = 'while constructing a mapping';

/** Told how many nodes a merge adds, before it does. */
type CountMerged = (count: number, offset: number) => void;

/**
 * Puts what a mapping merges (`<<`) in front of its own entries and turns its keys `=` into text. Of several merged
 * mappings the first one counts, and what stands in the mapping itself counts before all of them.
 */
export function flatten(node: MappingNode, count: CountMerged): void {
  const merged: Node[] = [];
  let index = 0;
  while (index < node.items.length) {
    const key = node.items[index];
    const value = node.items[index + 1];
    if (key === undefined || value === undefined) break;
    if (key.tag === MERGE_TAG) {
      node.items.splice(index, 2);
      for (const part of mergedParts(value, count)) {
        count(part.length, value.start);
        for (const each of part.slice()) merged.push(each);
      }
      continue;
    }
    if (key.tag === VALUE_TAG) key.tag = STR_TAG;
    index += 2;
  }
  if (merged.length > 0) node.items = merged.concat(node.items);
}

/** Entries of what stands under `<<`: a mapping, or a list of them, whose last one comes first. */
function mergedParts(value: Node, count: CountMerged): Node[][] {
  if (value.kind === 'mapping') {
    flatten(value, count);
    return [value.items];
  }
  if (value.kind === 'scalar') {
    const problem = 'expected a mapping or list of mappings for merging, but found scalar';
    refuse(CONTEXT, problem, value.start);
  }
  const parts: Node[][] = [];
  for (const each of value.items) {
    if (each.kind !== 'mapping')
      refuse(CONTEXT, `expected a mapping for merging, but found ${each.kind}`, each.start);
    flatten(each, count);
    parts.push(each.items);
  }
  return parts.reverse();
}
