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
