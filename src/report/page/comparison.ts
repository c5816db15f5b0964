import type { EpisodeFilm } from '../../model/episode-film.ts';
import type { EpisodeRecord } from '../../model/episode-record.ts';
import { type PairableEpisode, pairKey, validOutcome } from '../../verdict/pairing.ts';
import type { ComparisonText, ReportInput } from '../view/report-input.ts';

/** What a page may show beyond the run's own results. */
export interface PageContext {
  readonly comparison: ComparisonText | null;
  /** Episodes of a baseline from another run, null when none was compared. */
  readonly baseline: readonly PairableEpisode[] | null;
  /** Ways to the workflow run, the artifact, the history page. */
  readonly links: readonly { readonly label: string; readonly address: string }[];
  /** The run became the baseline that later ones are compared with. */
  readonly accepted?: boolean;
  /** Film strips and videos of episodes, of both sides; left out: none. */
  readonly films?: readonly EpisodeFilm[];
}

export const NO_CONTEXT: PageContext = { comparison: null, baseline: null, links: [] };

/** `alike`: both decided, equally. A cell without two valid outcomes has no change. */
type Change = 'regressed' | 'fixed' | 'alike';

export interface TaskChange {
  /** Of the baseline. */
  readonly successes: number;
  readonly valid: number;
  /** Cells with a valid outcome on both sides; what regressed or was fixed is among them. */
  readonly pairs: number;
  readonly regressed: number;
  readonly fixed: number;
}

/** The baseline's side of every cell and task; null when there is nothing to compare with. */
export interface CellComparison {
  readonly changeOf: (record: EpisodeRecord) => Change | null;
  readonly tasks: ReadonlyMap<number, TaskChange>;
  readonly total: TaskChange;
}

/** Compares the candidate's episodes with those of another run, else with the run's own baseline arm. */
export function compareCells(input: ReportInput, context: PageContext): CellComparison | null {
  const { timeoutsAs } = input.results;
  const others = context.baseline ?? input.records.filter(({ arm }) => arm === 'baseline');
  if (others.length === 0) return null;
  const before = new Map(others.map((item) => [pairKey(item), validOutcome(item.outcome, timeoutsAs)]));
  const changeOf = (record: EpisodeRecord): Change | null => {
    if (record.arm !== 'candidate') return null;
    const [was, is] = [before.get(pairKey(record)) ?? null, validOutcome(record.outcome, timeoutsAs)];
    if (was === null || is === null) return null;
    return was === is ? 'alike' : was ? 'regressed' : 'fixed';
  };
  const tasks = new Map<number, TaskChange>();
  for (const { taskId, outcome } of others) {
    const valid = validOutcome(outcome, timeoutsAs);
    if (valid !== null) add(tasks, taskId, { ...NOTHING, successes: valid ? 1 : 0, valid: 1 });
  }
  for (const record of input.records) {
    const change = changeOf(record);
    if (change !== null) add(tasks, record.taskId, { ...NOTHING, pairs: 1, ...COUNTED[change] });
  }
  return { changeOf, tasks, total: [...tasks.values()].reduce(sum, NOTHING) };
}

const NOTHING: TaskChange = { successes: 0, valid: 0, pairs: 0, regressed: 0, fixed: 0 };

const COUNTED: Readonly<Record<Change, Partial<TaskChange>>> = {
  regressed: { regressed: 1 },
  fixed: { fixed: 1 },
  alike: {},
};

/** The candidate's rate less the baseline's on the cells that both have, from −1 to 1; null without one. */
export function rateChange({ pairs, regressed, fixed }: TaskChange): number | null {
  return pairs === 0 ? null : (fixed - regressed) / pairs;
}

function add(tasks: Map<number, TaskChange>, taskId: number, more: TaskChange): void {
  tasks.set(taskId, sum(tasks.get(taskId) ?? NOTHING, more));
}

function sum(left: TaskChange, right: TaskChange): TaskChange {
  return {
    successes: left.successes + right.successes,
    valid: left.valid + right.valid,
    pairs: left.pairs + right.pairs,
    regressed: left.regressed + right.regressed,
    fixed: left.fixed + right.fixed,
  };
}

/** The baseline's rates for the chart's marks: per task id, and under null the suite's. */
export function baselineRates(comparison: CellComparison | null): ReadonlyMap<number | null, number> {
  if (comparison === null) return new Map();
  const entries: [number | null, TaskChange][] = [...comparison.tasks, [null, comparison.total]];
  return new Map(
    entries
      .filter(([, { valid }]) => valid > 0)
      .map(([taskId, { successes, valid }]) => [taskId, successes / valid]),
  );
}
