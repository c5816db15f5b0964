/** What a cell's change can be, in the order of its numbers in the page's data; the first is none. */
export const CHANGES = ['', 'regressed', 'fixed', 'alike'] as const;
