import { byCodeUnit } from '../base/stable-json.ts';
import type { CellsBy } from '../model/plan.ts';
import type { ImportedEpisode, ImportFault } from './importer/importer.ts';
import { shownName } from './suite-names.ts';

/** An episode in its cell. */
export interface Placed {
  readonly taskId: number;
  readonly place: number;
  readonly run: number;
  readonly episode: ImportedEpisode;
}

export interface PlacedEpisodes {
  readonly tasks: readonly { readonly taskId: number; readonly language: string }[];
  /** By task, place and run. */
  readonly placed: readonly Placed[];
  readonly faults: readonly ImportFault[];
}

/** Places are ids of a plan. */
const isId = (value: number | null): value is number =>
  value !== null && Number.isSafeInteger(value) && value >= 0;

/**
 * The cell of each episode. Tasks keep the tool's numbers; where it has only names they are numbered by name, so that
 * the order of a file cannot matter. An episode of a place that is there already is a fault: which of two outcomes
 * counts is nobody's to choose. Pure.
 */
export function placeEpisodes(episodes: readonly ImportedEpisode[], cellsBy: CellsBy | null): PlacedEpisodes {
  const faults: ImportFault[] = [];
  const { ids, tasks } = numberedTasks(episodes, faults);
  const next = new Map<number, number>();
  const taken = new Map<string, string>();
  const placed: Placed[] = [];
  for (const episode of episodes) {
    const taskId = ids(episode);
    const ordinal = next.get(taskId) ?? 0;
    next.set(taskId, ordinal + 1);
    const isOwnOrder = cellsBy === 'order' || cellsBy === 'count';
    const place = episode.place ?? (isOwnOrder ? ordinal : null);
    const run = episode.run ?? 0;
    if (!isId(place) || !isId(run)) {
      faults.push({
        at: episode.at,
        message: `it names no ${cellsBy ?? 'initial state'} that is a whole number from 0 on`,
      });
      continue;
    }
    const key = `${taskId} ${place} ${run}`;
    const other = taken.get(key);
    if (other !== undefined) {
      const which = `task ${taskId}, ${wordOf(cellsBy)} ${place}${run === 0 ? '' : `, run ${run}`}`;
      faults.push({ at: episode.at, message: `${which} is at ${other} already` });
      continue;
    }
    taken.set(key, episode.at);
    placed.push({ taskId, place, run, episode });
  }
  placed.sort(
    (left, right) => left.taskId - right.taskId || left.place - right.place || left.run - right.run,
  );
  return { tasks, placed, faults };
}

/** What `initStateId` of a cell is, in words. Pure. */
export function wordOf(cellsBy: CellsBy | null): string {
  if (cellsBy === null) return 'initial state';
  return cellsBy === 'order' || cellsBy === 'count' ? 'episode' : cellsBy;
}

function numberedTasks(
  episodes: readonly ImportedEpisode[],
  faults: ImportFault[],
): { readonly ids: (episode: ImportedEpisode) => number; readonly tasks: PlacedEpisodes['tasks'] } {
  const named = episodes.some(({ task }) => task.id === null);
  const names = [...new Set(episodes.map(({ task }) => task.name))].toSorted(byCodeUnit);
  const numbers = new Map(names.map((name, index) => [name, index]));
  const ids = ({ task }: ImportedEpisode): number => (named ? (numbers.get(task.name) ?? 0) : (task.id ?? 0));
  const seen = new Map<number, { readonly name: string; readonly at: string }>();
  const languages = new Map<number, string>();
  for (const episode of episodes) {
    const taskId = ids(episode);
    const { name } = episode.task;
    const first = seen.get(taskId);
    if (first === undefined) seen.set(taskId, { name, at: episode.at });
    else if (first.name !== name)
      faults.push({
        at: episode.at,
        message: `task ${taskId} is "${shownName(name, 80)}" here and "${shownName(first.name, 80)}" at ${first.at}`,
      });
    const language = episode.language ?? (named ? name : '');
    const known = languages.get(taskId);
    if (known === undefined || (known === '' && language !== '')) languages.set(taskId, shownName(language));
  }
  const tasks = [...languages]
    .toSorted(([left], [right]) => left - right)
    .map(([taskId, language]) => ({ taskId, language }));
  return { ids, tasks };
}
