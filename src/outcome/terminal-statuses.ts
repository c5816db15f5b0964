/** Statuses after which the runtime writes nothing more about a session (`replanned` only in its later version). */
export const TERMINAL_STATUSES: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'rejected',
  'replanned',
]);

/** Statuses of a session that waits for a verifier: its episode is over, and the runtime is not done with it. */
export const UNSETTLED: ReadonlySet<string> = new Set([
  'awaiting_verification',
  'verifying',
  'awaiting_replan',
]);
