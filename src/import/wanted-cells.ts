import type { CellsBy } from '../model/plan.ts';
import type { Wanted } from '../plan/wanted.ts';
import type { Declared, ImportFault } from './importer/importer.ts';
import { type Placed, wordOf } from './placed-cells.ts';

/** A place of which the files tell nothing though it was meant to be measured. */
export type OpenCell = Omit<Placed, 'episode'>;

/** How many episodes were meant. */
export interface Meant {
  readonly tasks: readonly number[];
  /** Places and runs that were meant, where the user names them; null: any, so many of each task. */
  readonly places: readonly { readonly place: number; readonly run: number }[] | null;
  readonly perTask: number;
  /** Whose word it is, in words. */
  readonly by: string;
}

/** No benchmark has more, and a slip must not fill the memory. */
const MAX_CELLS = 1_000_000;

/** The user's word. Only initial states have numbers that a person plans by; of seeds and orders it is their number. Pure. */
export function meantByUser(wanted: Wanted, cellsBy: CellsBy | null): Meant {
  const { tasks, initStates, runs, text } = wanted;
  const places = initStates.flatMap((place) => Array.from({ length: runs }, (_, run) => ({ place, run })));
  return {
    tasks,
    places: cellsBy === null ? places : null,
    perTask: places.length,
    by: `${text}, as given`,
  };
}

/** The word of the files; null when they say nothing of this suite. Pure. */
export function meantByFiles(
  declared: readonly Declared[],
  told: string | null,
  known: readonly number[],
): Meant | null {
  const own = declared.filter(({ suite }) => suite === null || suite === told);
  const [first] = own;
  if (first === undefined) return null;
  const perTask = Math.max(...own.map((each) => each.perTask));
  const tasks = Math.max(...own.map((each) => each.tasks ?? 0));
  if (perTask < 1 || perTask * Math.max(tasks, known.length) > MAX_CELLS) return null;
  const ids = new Set(known);
  for (let id = 0; ids.size < tasks; id += 1) ids.add(id);
  const count = `${ids.size} ${ids.size === 1 ? 'task' : 'tasks'} with ${perTask} ${perTask === 1 ? 'episode' : 'episodes'} each`;
  return { tasks: [...ids].toSorted((a, b) => a - b), places: null, perTask, by: `${count}, ${first.by}` };
}

interface Filled {
  readonly open: readonly OpenCell[];
  /** Episodes that were not meant. */
  readonly beyond: readonly ImportFault[];
}

/** What is missing of what was meant, and what is there beyond it. Pure. */
export function openCells(placed: readonly Placed[], meant: Meant, cellsBy: CellsBy | null): Filled {
  const byTask = new Map<number, Placed[]>();
  for (const each of placed) {
    const own = byTask.get(each.taskId);
    if (own === undefined) byTask.set(each.taskId, [each]);
    else own.push(each);
  }
  const wanted = new Set(meant.tasks);
  const beyond: ImportFault[] = [];
  for (const [taskId, own] of byTask) {
    if (!wanted.has(taskId))
      beyond.push({ at: own[0]?.episode.at ?? '', message: `task ${taskId} was not planned` });
  }
  const open = meant.tasks.flatMap((taskId) => {
    const own = byTask.get(taskId) ?? [];
    return meant.places === null
      ? anyPlaces({ taskId, own, meant, cellsBy }, beyond)
      : namedPlaces({ taskId, own, places: meant.places }, beyond);
  });
  return { open, beyond };
}

function namedPlaces(
  {
    taskId,
    own,
    places,
  }: {
    readonly taskId: number;
    readonly own: readonly Placed[];
    readonly places: NonNullable<Meant['places']>;
  },
  beyond: ImportFault[],
): OpenCell[] {
  const keyOf = ({ place, run }: { readonly place: number; readonly run: number }): string =>
    `${place} ${run}`;
  const wanted = new Set(places.map(keyOf));
  const had = new Set(own.map(keyOf));
  for (const each of own.filter((found) => !wanted.has(keyOf(found)))) {
    const run = each.run === 0 ? '' : `, run ${each.run},`;
    beyond.push({
      at: each.episode.at,
      message: `initial state ${each.place}${run} of task ${taskId} was not planned`,
    });
  }
  return places.filter((place) => !had.has(keyOf(place))).map((place) => ({ taskId, ...place }));
}

interface TaskPlaces {
  readonly taskId: number;
  readonly own: readonly Placed[];
  readonly meant: Meant;
  readonly cellsBy: CellsBy | null;
}

/** Whatever was not measured has no known place; it gets a number that no episode of the task has. */
function anyPlaces({ taskId, own, meant, cellsBy }: TaskPlaces, beyond: ImportFault[]): OpenCell[] {
  if (own.length > meant.perTask) {
    const what = `task ${taskId} has ${own.length} ${wordOf(cellsBy)}s`;
    beyond.push({
      at: own[meant.perTask]?.episode.at ?? '',
      message: `${what}, and ${meant.perTask} were planned`,
    });
    return [];
  }
  const used = new Set(own.map(({ place }) => place));
  const open: OpenCell[] = [];
  const first =
    cellsBy === 'seed' || cellsBy === 'scenario'
      ? 1 + own.reduce((most, { place }) => Math.max(most, place), -1)
      : 0;
  for (let place = first; own.length + open.length < meant.perTask; place += 1)
    if (!used.has(place)) open.push({ taskId, place, run: 0 });
  return open;
}
