import { WhyNot } from './why-not.ts';

const MAX_IDS = 10_000;
const MAX_ID = 1_000_000;

/** Ids as `0-9,12`, in ascending order and each once: the way inputs take them, so that a report can be copied from. */
export function idRanges(ids: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const id of [...new Set(ids)].sort((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last !== undefined && id === last[1] + 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges.map(([first, end]) => (first === end ? String(first) : `${first}-${end}`)).join(',');
}

/**
 * The ids that `0-9`, `12` and the like name, sorted and each once; or what is wrong, as in "input tasks must …".
 * Empty items do not count.
 */
export function idsIn(items: readonly string[]): readonly number[] | WhyNot {
  const ids = new Set<number>();
  for (const part of items.map((item) => item.trim())) {
    if (part === '') continue;
    const match = /^([0-9]+)(?:\s*-\s*([0-9]+))?$/.exec(part);
    if (match === null) return new WhyNot('must be ids and ranges of ids from 0 up, separated by commas');
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first) return new WhyNot(`holds a range that runs backwards (${part})`);
    if (last > MAX_ID || last - first >= MAX_IDS)
      return new WhyNot(`names an id above ${MAX_ID} or over ${MAX_IDS} ids`);
    for (let id = first; id <= last; id++) ids.add(id);
    if (ids.size > MAX_IDS) return new WhyNot(`names over ${MAX_IDS} ids`);
  }
  return ids.size === 0
    ? new WhyNot('must name at least one id')
    : [...ids].sort((left, right) => left - right);
}
