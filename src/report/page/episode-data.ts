import type { EpisodeRecord } from '../../model/episode-record.ts';
import { codeOf } from '../../results/error-codes.ts';
import { fixed } from '../../stats/rounding.ts';
import { plainLine } from '../text/escape.ts';
import { episodeDetail } from '../view/failures-view.ts';
import type { ReportInput } from '../view/report-input.ts';
import { ANY_CELL, rerunCommand } from '../view/rerun.ts';
import { CHANGES } from './changes.ts';
import type { CellComparison } from './comparison.ts';
import { OUTCOMES, outcomeLook } from './outcome-look.ts';

/**
 * Every episode as the page's script reads it: a table of 10,000 has more nodes than a browser draws in seconds, and
 * names that repeat would make it megabytes. Numbers are rounded as they are shown.
 */
export interface EpisodeData {
  /** Two arms; several runs of a state; something to compare with. */
  readonly several: boolean;
  readonly repeated: boolean;
  readonly compared: boolean;
  /** Task id and instruction. */
  readonly tasks: readonly (readonly [id: number, language: string])[];
  /** Label, glyph and class of each outcome; the first is success. */
  readonly outcomes: readonly (readonly [label: string, glyph: string, kind: string])[];
  /** Codes and details, which repeat. */
  readonly texts: readonly string[];
  /** What the names of all sessions begin with. */
  readonly session: string;
  /** Sessions have a folder of their name beside the page. */
  readonly folders: boolean;
  /** With `ANY_CELL` in the place of a cell; null: there is nothing to run. */
  readonly rerun: string | null;
  readonly rows: readonly DataRow[];
}

/** `change`: an index into `CHANGES`. `code`, `detail`: indexes into `texts`. `session`: what follows its beginning; 0 for none. */
export type DataRow = readonly [
  task: number,
  state: number,
  run: number,
  arm: 0 | 1,
  outcome: number,
  change: number,
  steps: number | null,
  episodeReturn: number | null,
  latencyMs: number | null,
  seconds: number | null,
  code: number,
  detail: number,
  session: string | 0,
  tries: number,
];

/** Lengths that a detail is cut to; the first that fits its budget is taken. */
const CUTS = [600, 300, 150, 80, 40, 0] as const;
const TEXT_BUDGET = 200_000;
const SESSION_BUDGET = 300_000;

/** In the order of `records`. Pure. */
export function episodeData(
  input: ReportInput,
  compared: CellComparison | null,
  records: readonly EpisodeRecord[],
): EpisodeData {
  const { results } = input;
  const texts = new Texts(detailLimit(records));
  const names = records.map(({ sessionId }) => sessionId ?? '');
  const session = commonStart(names.filter((name) => name !== ''));
  const isRoomy = names.reduce((sum, name) => sum + name.length - session.length, 0) <= SESSION_BUDGET;
  return {
    several: results.arms.length > 1,
    repeated: results.repeats > 1,
    compared: compared !== null,
    tasks: languagesOf(input),
    outcomes: OUTCOMES.map((outcome) => {
      const { label, glyph, kind } = outcomeLook(outcome);
      return [label, glyph, kind] as const;
    }),
    session,
    folders: input.audience === 'published' && input.bundleDir !== null,
    rerun: rerunCommand(results, ANY_CELL),
    rows: records.map((record) => {
      const change = compared?.changeOf(record) ?? '';
      const { sessionId } = record;
      const rest = sessionId === null || !isRoomy ? 0 : plainLine(sessionId.slice(session.length), 200);
      return dataRow(record, { change: CHANGES.indexOf(change), texts, rest });
    }),
    texts: texts.all,
  };
}

function dataRow(
  record: EpisodeRecord,
  { change, texts, rest }: { change: number; texts: Texts; rest: string | 0 },
): DataRow {
  const { taskId, initStateId, runIndex, arm, outcome, durationMs } = record;
  return [
    taskId,
    initStateId,
    runIndex,
    arm === 'candidate' ? 0 : 1,
    OUTCOMES.indexOf(outcome),
    change,
    rounded(record.steps, 0),
    rounded(record.episodeReturn, 2),
    rounded(record.policyLatencyMs, 1),
    rounded(durationMs === null ? null : durationMs / 1000, 1),
    texts.place(codeOf(record) ?? ''),
    texts.place(episodeDetail(record)),
    rest,
    record.attempts.length,
  ];
}

/** By the one rule of rounding, so that a script that prints these digits shows what every other rendering shows. */
function rounded(value: number | null, decimals: number): number | null {
  const text = value === null ? null : fixed(value, decimals);
  return text === null ? null : Number(text);
}

class Texts {
  readonly #places = new Map<string, number>([['', 0]]);
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  place(text: string): number {
    const line = plainLine(text, this.#limit);
    const known = this.#places.get(line);
    if (known !== undefined) return known;
    this.#places.set(line, this.#places.size);
    return this.#places.size - 1;
  }

  get all(): readonly string[] {
    return [...this.#places.keys()];
  }
}

/** How long a detail may be, so that those of all episodes together have a bound in bytes. */
export function detailLimit(records: readonly EpisodeRecord[], budget = TEXT_BUDGET): number {
  const details = [...new Set(records.map(episodeDetail))];
  const total = (limit: number): number =>
    details.reduce((sum, detail) => sum + writtenBytes(detail.slice(0, limit)), 0);
  return CUTS.find((limit) => total(limit) <= budget) ?? 0;
}

/** At most, with what escaping and UTF-8 add to it. */
function writtenBytes(text: string): number {
  return text.length + 5 * (text.match(/[<>&"'`\\]|[^ -~]/g)?.length ?? 0);
}

function commonStart([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  // No character is cut in two, and no number: the beginning of state 20 would name state 2.
  return first
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/[\p{L}\p{N}]+$/u, '');
}

function languagesOf({ results, records }: ReportInput): (readonly [number, string])[] {
  const known = new Map(
    results.arms.flatMap((arm) => arm.tasks.map(({ taskId, language }) => [taskId, language] as const)),
  );
  for (const { taskId } of records) if (!known.has(taskId)) known.set(taskId, '');
  return [...known]
    .sort(([left], [right]) => left - right)
    .map(([id, language]) => [id, plainLine(language, 200)] as const);
}
