/** Groups at a time while they are found; a pattern that needs more cannot be read as letters. */
const MOST_GROUPS = 128;

/**
 * Groups of items that cannot be told apart, from the pairs that can: two items share a group exactly when their pair is
 * not in `different`. Each group becomes a letter.
 *
 * Source: H.-P. Piepho, Journal of Computational and Graphical Statistics 13 (2004), "insert and absorb" with the sweep
 * that leaves out letters nobody needs. Items are 0 to count − 1, best first, so that the first group has the best one.
 * Edges: no pair gives one group of all; null when there are too many groups for letters to help anybody.
 */
export function homogeneousGroups(
  count: number,
  different: readonly (readonly [number, number])[],
): readonly (readonly number[])[] | null {
  let groups: readonly bigint[] = count === 0 ? [] : [(1n << BigInt(count)) - 1n];
  for (const [left, right] of different) {
    groups = split(groups, 1n << BigInt(left), 1n << BigInt(right));
    if (groups.length > MOST_GROUPS) return null;
  }
  return swept(groups, count)
    .map((group) => membersOf(group, count))
    .sort(byMembers);
}

/**
 * Inserts a pair: each group with both of it becomes two, one without either, and what then lies inside another group is
 * absorbed by it.
 */
function split(groups: readonly bigint[], left: bigint, right: bigint): readonly bigint[] {
  const pair = left | right;
  const kept = groups.filter((group) => (group & pair) !== pair);
  const halves = groups.flatMap((group) => ((group & pair) === pair ? [group & ~left, group & ~right] : []));
  if (halves.length === 0) return groups;
  const all = [...new Set([...kept, ...halves])];
  return all.filter((group) => !all.some((other) => other !== group && (group & ~other) === 0n));
}

/** Without groups whose pairs are all in others; the last ones go first. */
function swept(groups: readonly bigint[], count: number): readonly bigint[] {
  let left = groups;
  for (const group of groups.toReversed()) {
    const others = left.filter((other) => other !== group);
    const members = membersOf(group, count).map((member) => 1n << BigInt(member));
    const needless = members.every((one) =>
      members.every((two) => others.some((other) => (other & one) !== 0n && (other & two) !== 0n)),
    );
    if (needless) left = others;
  }
  return left;
}

function membersOf(group: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, item) => item).filter(
    (item) => ((group >> BigInt(item)) & 1n) === 1n,
  );
}

/** The order of two groups is that of the first members in which they differ. */
function byMembers(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((member, index) => member !== right[index]);
  if (at < 0) return left.length - right.length;
  return (left[at] ?? 0) - (right[at] ?? Number.POSITIVE_INFINITY);
}

/** `a` to `z`, then `a1` and so on: the name of a group by its place. */
export function groupName(place: number): string {
  const letter = String.fromCharCode(97 + (place % 26));
  return place < 26 ? letter : `${letter}${Math.floor(place / 26)}`;
}
