import { CHANGES } from '../changes.ts';
import type { DataRow, EpisodeData } from '../episode-data.ts';

/** The page's data with what follows from it. Made once. */
export interface Episodes {
  readonly data: EpisodeData;
  readonly languages: ReadonlyMap<number, string>;
}

export function readEpisodes(): Episodes | null {
  const text = document.getElementById('episode-data')?.textContent ?? '';
  if (text === '') return null;
  const data: EpisodeData = JSON.parse(text); // written by the same program into the same file
  return { data, languages: new Map(data.tasks) };
}

export const armOf = (row: DataRow): string => (row[3] === 0 ? 'candidate' : 'baseline');
export const cellOf = (row: DataRow): string => `t${row[0]}-i${row[1]}-r${row[2]}-${armOf(row)}`;
export const changeOf = (row: DataRow): string => CHANGES[row[5]] ?? '';

export function outcomeOf({ data }: Episodes, row: DataRow): readonly [string, string, string] {
  return data.outcomes[row[4]] ?? ['', '', ''];
}

export function sessionOf({ data }: Episodes, row: DataRow): string {
  return row[12] === 0 ? '' : data.session + row[12];
}

/** `task 4, state 7, run 1: failure, regressed` */
export function nameOf(episodes: Episodes, row: DataRow): string {
  const run = row[2] === 0 ? '' : `, run ${row[2]}`;
  const change = changeOf(row);
  const said = change === '' || change === 'alike' ? '' : `, ${change}`;
  return `task ${row[0]}, state ${row[1]}${run}: ${outcomeOf(episodes, row)[0]}${said}`;
}

/** A column of the table of episodes. */
export interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  /** What it is sorted by; null comes last. */
  readonly key: (row: DataRow) => string | number | null;
  /** Left out: the key. */
  readonly text?: (row: DataRow) => string;
}

const shown = (value: number | null, decimals: number): string =>
  value === null ? '–' : value.toFixed(decimals);

function measure(title: string, at: 6 | 7 | 8 | 9, decimals: number): Column {
  return {
    title,
    isNumber: true,
    key: (row) => row[at],
    text: (row) => shown(row[at], decimals),
  };
}

/** Those that say anything of this run. */
export function columnsOf({ data }: Episodes): readonly Column[] {
  const { rows, texts } = data;
  const has = (at: 6 | 7 | 8 | 9): boolean => rows.some((row) => row[at] !== null);
  const numbered = (title: string, at: 0 | 1 | 2): Column => ({
    title,
    isNumber: true,
    key: (row) => row[at],
  });
  const worded = (title: string, key: (row: DataRow) => string): Column => ({ title, isNumber: false, key });
  return [
    numbered('Task', 0),
    numbered('State', 1),
    ...(data.repeated ? [numbered('Run', 2)] : []),
    ...(data.several ? [worded('Arm', armOf)] : []),
    worded('Outcome', (row) => data.outcomes[row[4]]?.[0] ?? ''),
    ...(data.compared ? [worded('Change', changeOf)] : []),
    ...(has(6) ? [measure('Steps', 6, 0)] : []),
    ...(has(7) ? [measure('Return', 7, 2)] : []),
    ...(has(8) ? [measure('Latency, ms', 8, 1)] : []),
    ...(has(9) ? [measure('Time, s', 9, 1)] : []),
    ...(rows.some((row) => row[10] > 0) ? [worded('Code', (row) => texts[row[10]] ?? '')] : []),
    ...(rows.some((row) => row[11] > 0) ? [worded('Detail', (row) => texts[row[11]] ?? '')] : []),
  ];
}

/** What filters are set to; empty is everything. */
export interface Wanted {
  readonly task: string;
  readonly outcome: string;
  readonly arm: string;
  readonly text: string;
}

/** Places of the rows that match, in the order of the data. */
export function matching(episodes: Episodes, wanted: Wanted): number[] {
  const { rows, texts } = episodes.data;
  const text = wanted.text.toLowerCase();
  const found: number[] = [];
  rows.forEach((row, place) => {
    if (wanted.task !== '' && String(row[0]) !== wanted.task) return;
    if (wanted.arm !== '' && armOf(row) !== wanted.arm) return;
    if (!hasOutcome(row, wanted.outcome)) return;
    const words = (): string =>
      `${nameOf(episodes, row)}\n${texts[row[10]]}\n${texts[row[11]]}\n${sessionOf(episodes, row)}\n${episodes.languages.get(row[0]) ?? ''}`;
    if (text === '' || words().toLowerCase().includes(text)) found.push(place);
  });
  return found;
}

function hasOutcome(row: DataRow, outcome: string): boolean {
  if (outcome === '') return true;
  if (outcome === '!notable') return row[4] !== 0;
  return outcome.startsWith('!') ? changeOf(row) === outcome.slice(1) : String(row[4]) === outcome;
}

/** Rows without a value stay last in both directions; equal rows keep their order. */
export function sorted(
  { data }: Episodes,
  places: readonly number[],
  { key }: Column,
  downward: boolean,
): number[] {
  const keyed = places.map((place) => {
    const row = data.rows[place];
    const value = row === undefined ? null : key(row);
    return { place, value: value === '' ? null : value };
  });
  const direction = downward ? -1 : 1;
  keyed.sort((left, right) => {
    if (left.value === null || right.value === null)
      return left.value === right.value ? 0 : left.value === null ? 1 : -1;
    return left.value === right.value ? 0 : left.value < right.value ? -direction : direction;
  });
  return keyed.map(({ place }) => place);
}
