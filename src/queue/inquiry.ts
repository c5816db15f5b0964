import type { Probe } from './execution.ts';
import type { Complaint } from './machine/job.ts';

/** One round of questions to target and policies, asked in the background. */
export interface Inquiry {
  /** Null while it lasts; empty when all answered. */
  readonly complaints: readonly Complaint[] | null;
  /** Leaves no question open. */
  cancel(): void;
}

/** Asks all at once. Whoever stops does not wait for an answer: `signal` cancels it. */
export function inquire(probes: readonly Probe[], signal: AbortSignal): Inquiry {
  const asking = new AbortController();
  const stop = (): void => asking.abort(signal.reason);
  let complaints: readonly Complaint[] | null = null;
  const over = (found: readonly Complaint[]): void => {
    signal.removeEventListener('abort', stop);
    complaints ??= found;
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  void Promise.all(probes.map((probe) => probe(asking.signal))).then(
    (answers) => over(answers.filter((answer) => answer !== null)),
    (error: unknown) =>
      over([{ why: error instanceof Error ? error.message : String(error), changed: false }]),
  );
  return {
    get complaints() {
      return complaints;
    },
    cancel() {
      over([{ why: 'interrupted', changed: false }]);
      asking.abort();
    },
  };
}
