/** Levels of any document of ours: a policy's metadata, the deepest part of one, has 32 at most. */
export const MAX_JSON_DEPTH = 100;

/**
 * Whether parsed JSON is nested deeper than any document of ours. A parser takes a hundred thousand brackets; whoever
 * walks over them one call for each level ends as if by a bug. Pure.
 */
export function isTooDeep(value: unknown, levels = MAX_JSON_DEPTH): boolean {
  let layer: unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth += 1) {
    if (depth > levels) return true;
    layer = layer.flatMap((each) => (typeof each === 'object' && each !== null ? nested(each) : []));
  }
  return false;
}

function nested(value: object): unknown[] {
  return Object.values(value).filter((each) => typeof each === 'object' && each !== null);
}
