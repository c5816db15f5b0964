import type { Outcome } from '../model/episode-record.ts';
import type { JournalRecord, OmittedFile } from '../model/journal-events.ts';
import type { Classified } from './classified.ts';

/** A collected session whose episode nothing tells, as the journal names it; the evidence is in raw/. */
interface UnattributedRef {
  readonly sessionId: string;
  readonly reason: string;
  readonly omitted: readonly OmittedFile[];
}

/** In the order in which they were collected. Pure. */
export function unattributedOf(journal: readonly JournalRecord[]): readonly UnattributedRef[] {
  const found = new Map<string, UnattributedRef>();
  for (const { event } of journal) {
    if (event.type === 'unattributed')
      found.set(event.sessionId, { sessionId: event.sessionId, reason: event.reason, omitted: [] });
    const known = event.type === 'collected' ? found.get(event.sessionId) : undefined;
    if (event.type === 'collected' && known !== undefined)
      found.set(event.sessionId, { ...known, omitted: event.omitted });
  }
  return [...found.values()];
}

/** What such a session counts as: a success or failure of nobody knows what is no result, whatever it says. Pure. */
export function outcomeWithoutCell({ outcome }: Pick<Classified, 'outcome'>): Outcome {
  return outcome === 'success' || outcome === 'failure' ? 'missing' : outcome;
}
