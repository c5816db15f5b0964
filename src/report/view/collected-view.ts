import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { Results, Unattributed } from '../../model/results.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { codeOf } from '../../results/error-codes.ts';
import type { ViewRow } from './report-input.ts';

/** A value with the place where it was read, as far as a collected run knows it. */
export type Stated = (name: string, text: string) => string;

/** Longest list of ids in one row: a place of a report shows no more. */
const ROW_LENGTH = 280;
/** Ids that a report lists; sessions.md has all. */
const MAX_IDS = 2_000;
/** Sessions of unknown episode that a report lists; sessions.md has all. */
const MAX_NAMELESS = 200;

/** Pure: for a run that planned its settings they stand as they are. */
export function statedIn({ collected }: RunFacts): Stated {
  return (name, text) => {
    const where = collected?.stated[name];
    return where === undefined ? text : `${text} (${where})`;
  };
}

/** What was collected and what makes it one group; empty for any other run. Pure. */
export function collectedRows({ run: { collected } }: Results): ViewRow[] {
  if (collected === undefined) return [];
  const { targets, goals, from, until, group, groups, chosen, planned } = collected;
  const text = (label: string, value: string): ViewRow => ({ label, value, code: false });
  return [
    ...listRows(`Targets (${targets.length})`, targets),
    ...listRows(
      'Goals',
      goals.map((goal) => goal ?? 'none'),
    ),
    text('Sessions ended', from === null || until === null ? 'unknown' : `${from} to ${until}`),
    text('Chosen', chosen.length === 0 ? 'every finished session of others' : chosen.join('; ')),
    text('Episodes planned', planned === null ? 'unknown: nobody said' : `${planned}, as given`),
    ...(groups === 1
      ? []
      : [
          text(
            'Group',
            `${group} of ${groups}: suite, target family, skill runtime, policy or settings of the others differ`,
          ),
        ]),
  ];
}

/** Ids of all collected sessions. Pure. */
export function collectedIdRows(
  records: readonly EpisodeRecord[],
  unattributed: readonly Unattributed[],
): ViewRow[] {
  const ids = [
    ...records.flatMap(({ attempts }) => attempts.map(({ sessionId }) => sessionId)),
    ...unattributed.map(({ sessionId }) => sessionId),
  ].toSorted();
  const rows = listRows(`Session ids (${ids.length})`, ids.slice(0, MAX_IDS));
  if (ids.length <= MAX_IDS) return rows;
  return [
    ...rows,
    { label: 'More session ids', value: `${ids.length - MAX_IDS} in sessions.md`, code: false },
  ];
}

/** A list over as many rows as it needs, so that nothing of it is cut. */
function listRows(label: string, items: readonly string[]): ViewRow[] {
  const rows: string[] = [];
  for (const item of items) {
    const last = rows.at(-1);
    const longer = last === undefined ? item : `${last}, ${item}`;
    if (last === undefined || longer.length > ROW_LENGTH) rows.push(item);
    else rows[rows.length - 1] = longer;
  }
  return rows.map((value, index) => ({
    label: index === 0 ? label : `${label}, continued`,
    value,
    code: true,
  }));
}

/** A session of unknown episode as a row of a table. */
export interface NamelessRow {
  readonly sessionId: string;
  readonly outcome: string;
  readonly code: string;
  readonly detail: string;
}

/** Pure. */
export function namelessRows({ unattributed = [] }: Results): {
  readonly rows: readonly NamelessRow[];
  readonly omitted: number;
} {
  const rows = unattributed.slice(0, MAX_NAMELESS).map((session) => ({
    sessionId: session.sessionId,
    outcome: session.outcome,
    code: codeOf(session) ?? '',
    detail: [session.errorMessage ?? '', session.reason].filter((part) => part !== '').join('; '),
  }));
  return { rows, omitted: unattributed.length - rows.length };
}
