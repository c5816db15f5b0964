/** A ticket file: number in the order of arrival, then letters that make the name unique for ever. */
const TICKET = /^(\d{12})-[0-9a-f]{8}\.json$/;

/** Ticket files in the order in which they were given out; names of others are left out. Pure. */
export function inOrder(names: readonly string[]): readonly string[] {
  return names.filter((name) => TICKET.test(name)).toSorted();
}

/**
 * The name of the next ticket. It comes after every one that is there, dead ones included, so that whoever waits stays
 * in front of whoever comes. Pure.
 * @param letters eight hex digits, by chance.
 */
export function nextTicket(names: readonly string[], letters: string): string {
  const last = TICKET.exec(inOrder(names).at(-1) ?? '')?.[1] ?? '0';
  return `${String(Number(last) + 1).padStart(12, '0')}-${letters}.json`;
}

/** Tickets in front of `own`, the nearest first. Pure. */
export function inFront(names: readonly string[], own: string): readonly string[] {
  return inOrder(names)
    .filter((name) => name < own)
    .toReversed();
}
