/** Statuses after which the runtime writes nothing more about a session (`replanned` only in its later version). */
export const TERMINAL_STATUSES: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'rejected',
  'replanned',
]);
