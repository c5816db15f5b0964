import type { EpisodeRecord } from '../model/episode-record.ts';
import type { JournalEvent, JournalRecord } from '../model/journal-events.ts';
import type { Plan } from '../model/plan.ts';
import type { Results } from '../model/results.ts';
import { answeredPositions } from '../verdict/early-stop-records.ts';

/** The early stop that a journal tells of, null without one. A resumed run says it again; the last word counts. */
export function stopIn(
  journal: readonly JournalRecord[],
): Extract<JournalEvent, { type: 'early_stop' }> | null {
  const found = journal.findLast(({ event }) => event.type === 'early_stop')?.event;
  return found?.type === 'early_stop' ? found : null;
}

/** What results.json says about an early stop. Pure. */
export function stopFacts(
  plan: Plan,
  records: readonly EpisodeRecord[],
  journal: readonly JournalRecord[],
): Results['earlyStop'] {
  if (plan.earlyStop !== true) return null;
  const event = stopIn(journal);
  if (event === null) return { stopped: null };
  const { type: _type, ...state } = event;
  const answered = answeredPositions(plan, event.prefix);
  const beyond = records.filter(({ position }) => !answered.has(position));
  const notRun = beyond.filter(({ outcome }) => outcome === 'not_run').length;
  return { stopped: { ...state, cells: records.length, notRun, afterStop: beyond.length - notRun } };
}
