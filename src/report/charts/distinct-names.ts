/** Shared words are left out only when there are at least this many of them. */
const MIN_SHARED = 3;
/** Words that stay in every name, whatever is shared. */
const MIN_KEPT = 2;

/**
 * Names of a set as a small place can show them: what all begin or end with is left out, because suites like "pick up
 * the black bowl …" would be cut to the same beginning on every row. Same length and order as given.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const split = names.map((name) => name.split(/\s+/).filter((word) => word !== ''));
  if (new Set(names).size < 2 || split.some((words) => words.length === 0)) return names;
  const room = Math.min(...split.map((words) => words.length)) - MIN_KEPT;
  const head = shared(split, room, (words, index) => words[index]);
  const tail = shared(split, room - head, (words, index) => words[words.length - 1 - index]);
  return split.map((words) => {
    const kept = words.slice(head, words.length - tail).join(' ');
    return `${head > 0 ? '… ' : ''}${kept}${tail > 0 ? ' …' : ''}`;
  });
}

type Pick = (words: readonly string[], index: number) => string | undefined;

/** Number of words that all lists have in common from one side, 0 when they are too few to matter. */
function shared(lists: readonly (readonly string[])[], room: number, pick: Pick): number {
  const [first = []] = lists;
  let count = 0;
  while (count < room && lists.every((words) => pick(words, count) === pick(first, count))) count += 1;
  return count >= MIN_SHARED ? count : 0;
}
