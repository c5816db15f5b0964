import type { EpisodeRecord, Outcome } from '../model/episode-record.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Plan } from '../model/plan.ts';
import type { JudgedSession } from '../outcome/build-records.ts';
import { stopIn } from '../results/early-stop-facts.ts';
import { earlyStop } from '../verdict/early-stop.ts';
import { recordsOfStopBaseline } from '../verdict/early-stop-baseline.ts';
import { type Difference, journalDifference } from './difference.ts';
import type { BundleDocuments } from './documents.ts';
import { BUNDLE_FILES } from './layout.ts';

/** Collects what each session gives, while the results are computed. */
export class OutcomeCheck {
  readonly #journaled = new Map<string, Outcome>();
  readonly #disputed = new Set<string>();
  readonly #plan: Plan | null;
  readonly #faults: Difference[] = [];

  constructor({ plan, run, journal }: Pick<BundleDocuments, 'plan' | 'run' | 'journal'>, manifest: Manifest) {
    // An unplanned bundle's plan was made from its own evidence, and classifying compares with none.
    this.#plan = run.evidenceClass === 'unplanned' ? plan : null;
    // What was held back for a secret in it can no longer be judged, and is said as that.
    for (const { path } of manifest.leftOut) {
      if (path.startsWith(`${BUNDLE_FILES.raw}/`))
        this.#disputed.add(path.slice(BUNDLE_FILES.raw.length + 1, path.lastIndexOf('/')));
    }
    for (const { event } of journal.records) {
      if (event.type === 'collected') this.#journaled.set(event.sessionId, event.outcome);
      // What somebody changed after it was judged is a conflict, whatever its archive says.
      if (event.type === 'conflict') this.#disputed.add(event.sessionId);
    }
  }

  see({ session, found }: JudgedSession): void {
    const { sessionId, position, closed } = session;
    const told = this.#journaled.get(sessionId);
    if (closed === 'collected' && !this.#disputed.has(sessionId) && told !== found.outcome)
      this.#faults.push(
        journalDifference(`session ${sessionId} ended with ${told}, but raw/ gives ${found.outcome}`),
      );
    const cell = this.#plan?.cells[position];
    const ran = found.executed;
    if (cell === undefined || ran === null || ran.taskId === null || ran.initStateId === null) return;
    const sameSuite = ran.benchmark === null || ran.benchmark === this.#plan?.suite;
    if (sameSuite && ran.taskId === cell.taskId && ran.initStateId === cell.initStateId) return;
    const message = `cell ${position} is task ${cell.taskId}, state ${cell.initStateId}, but session ${sessionId} ran task ${ran.taskId}, state ${ran.initStateId} of ${ran.benchmark}`;
    this.#faults.push({ kind: 'plan', path: BUNDLE_FILES.plan, message });
  }

  faults(): readonly Difference[] {
    return this.#faults;
  }
}

/** A stop must follow from the outcomes before it: a run may not end where it pleases. */
export function stopFaults(
  { plan, journal, stopBaseline }: BundleDocuments,
  records: readonly EpisodeRecord[],
): Difference[] {
  const told = stopIn(journal.records);
  // An entry that somebody changed after the run had judged it takes its outcome back; the verdict is INVALID then.
  if (told === null || journal.records.some(({ event }) => event.type === 'conflict')) return [];
  if (plan.earlyStop !== true)
    return [journalDifference('it stopped early, but the plan does not allow that')];
  const baseline = stopBaseline === null ? null : recordsOfStopBaseline(stopBaseline, plan.benchmark).records;
  const state = earlyStop({ plan, records, baseline });
  if (state.decision === told.decision && state.prefix === told.prefix) return [];
  return [
    journalDifference(
      `it stopped with ${told.decision} after ${told.prefix} cells, but raw/ gives ${state.decision ?? 'no decision'} after ${state.prefix}`,
    ),
  ];
}
