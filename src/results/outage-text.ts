import type { JournalRecord } from '../model/journal-events.ts';

/** What a report says of attempts that met a target or policy that was down; empty when there were none. Pure. */
export function outageTexts(journal: readonly JournalRecord[]): readonly string[] {
  const cells = new Map<string, number>();
  const counts = new Map<string, boolean>();
  for (const { event } of journal) {
    if (event.type === 'intent' || event.type === 'adopted') cells.set(event.sessionId, event.position);
    if (event.type === 'weighed') counts.set(event.sessionId, event.counts);
  }
  const back = [...counts].filter(([, counted]) => !counted).map(([sessionId]) => sessionId);
  if (back.length === 0) return [];
  const of = new Set(back.map((sessionId) => cells.get(sessionId))).size;
  return [
    `${back.length} ${back.length === 1 ? 'attempt' : 'attempts'} of ${of} ${of === 1 ? 'episode' : 'episodes'} met a target or policy that was down; they do not count as tries of their episodes.`,
  ];
}
