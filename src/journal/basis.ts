import type { JournalRecord } from '../model/journal-events.ts';

/** Steps of a session on its way: its end tells all that counts. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['queued', 'running', 'terminal', 'removed']);

/**
 * What a run's numbers rest on, of a record: not the steps on the way, most of a journal's lines, and not the hashes of what
 * was archived, most of its text. Null when nothing of it is. Pure.
 */
export function basisOf(record: JournalRecord): JournalRecord | null {
  const { at, event } = record;
  if (ON_THE_WAY.has(event.type)) return null;
  return event.type === 'collected' ? { at, event: { ...event, files: [] } } : record;
}
