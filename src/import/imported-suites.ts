import { fatal, type Problem, problemOf } from '../errors/rb-error.ts';
import type { ImportAsked, ImportedFacts } from '../model/imported-facts.ts';
import { type Cell, PLAN_SCHEMA_ID, type Plan } from '../model/plan.ts';
import { benchmarkOf } from '../plan/suite-defaults.ts';
import { parseWanted } from '../plan/wanted.ts';
import { type Fingerprint, fingerprintOf } from '../verdict/fingerprint.ts';
import type { Imported, ImportedEpisode, ImportFault } from './importer/importer.ts';
import { type PlacedEpisodes, placeEpisodes } from './placed-cells.ts';
import { bySuite, type SuiteEpisodes, shownName } from './suite-names.ts';
import { type Meant, meantByFiles, meantByUser, type OpenCell, openCells } from './wanted-cells.ts';

/** One suite of an import: the plan that its episodes make, and what is known of them. */
export interface ImportedSuite {
  readonly plan: Plan;
  /** The episode of each cell of the plan, by position; null: it was meant, and no file tells of it. */
  readonly episodes: readonly (ImportedEpisode | null)[];
  readonly facts: Pick<ImportedFacts, 'title' | 'version' | 'planned' | 'figures' | 'matching' | 'notes'>;
  readonly fingerprint: Fingerprint;
}

interface SuitesRequest {
  readonly format: string;
  readonly imported: Imported;
  readonly asked: ImportAsked;
  readonly purpose: Plan['purpose'];
}

/** Problems that one message lists. */
const SHOWN = 20;
const MAX_NOTES = 500;

/**
 * The suites of an import; or all that forbids to make them: faults of the files, an episode that is there twice, one
 * that nobody planned. Pure.
 */
export function importedSuites(request: SuitesRequest): readonly ImportedSuite[] | readonly Problem[] {
  const { format, imported, asked } = request;
  if (imported.faults.length > 0) return faultProblems('RB902', imported.faults);
  const groups = bySuite(imported, asked.suite, format);
  if ('code' in groups) return [groups];
  if (groups.length === 0) return [nothing(imported.title)];
  const problems: Problem[] = [];
  const suites: ImportedSuite[] = [];
  for (const group of groups) {
    const made = suiteOf(request, group, groups.length);
    if ('plan' in made) suites.push(made);
    else problems.push(...made);
  }
  return problems.length > 0 ? problems : suites;
}

/** Were suites made? */
export function isProblems(made: readonly ImportedSuite[] | readonly Problem[]): made is readonly Problem[] {
  return made.some((each) => 'code' in each);
}

function suiteOf(
  { format, imported, asked, purpose }: SuitesRequest,
  group: SuiteEpisodes,
  suites: number,
): ImportedSuite | readonly Problem[] {
  const { cellsBy, declared } = imported;
  const found = placeEpisodes(group.episodes, cellsBy);
  if (found.faults.length > 0) return faultProblems('RB903', found.faults);
  const meant =
    asked.planned === null
      ? meantByFiles(
          declared,
          group.told,
          found.tasks.map(({ taskId }) => taskId),
        )
      : meantByUser(parseWanted(asked.planned), cellsBy);
  const { open, beyond } =
    meant === null ? { open: [], beyond: [] } : openCells(found.placed, meant, cellsBy);
  if (beyond.length > 0) return faultProblems('RB904', beyond);
  const { cells, episodes } = merged(found, open);
  const plan = planOf({ group, format, purpose, imported }, { cells, tasks: tasksOf(found, meant) });
  return {
    plan,
    episodes,
    facts: {
      title: imported.title,
      version: imported.version,
      planned: meant?.by ?? null,
      figures: imported.figures
        .filter(({ suite }) => suite === group.told || (suite === null && suites === 1))
        .map(({ name, told, counted, why }) => ({ name, told, counted, why }))
        .slice(0, 200),
      matching: imported.matching,
      notes: imported.notes.slice(0, MAX_NOTES),
    },
    fingerprint: fingerprintOf(plan, {
      harness: format,
      runtime_version: imported.version,
      env_seed: imported.envSeed ?? null,
    }),
  };
}

function merged(
  { placed }: PlacedEpisodes,
  open: readonly OpenCell[],
): { readonly cells: readonly Cell[]; readonly episodes: readonly (ImportedEpisode | null)[] } {
  const all = [...placed, ...open.map((cell) => ({ ...cell, episode: null }))].toSorted(
    (left, right) => left.taskId - right.taskId || left.place - right.place || left.run - right.run,
  );
  return {
    cells: all.map(({ taskId, place, run }) => ({
      taskId,
      initStateId: place,
      runIndex: run,
      arm: 'candidate',
    })),
    episodes: all.map(({ episode }) => episode),
  };
}

/** Tasks that were meant and are in no file have no text. */
function tasksOf({ tasks }: PlacedEpisodes, meant: Meant | null): Plan['tasks'] {
  const known = new Map(tasks.map((task) => [task.taskId, task]));
  for (const taskId of meant?.tasks ?? []) {
    if (!known.has(taskId)) known.set(taskId, { taskId, language: '' });
  }
  return [...known.values()].toSorted((left, right) => left.taskId - right.taskId);
}

interface PlanFrame {
  readonly group: SuiteEpisodes;
  readonly format: string;
  readonly purpose: Plan['purpose'];
  readonly imported: Imported;
}

function planOf(
  { group, format, purpose, imported }: PlanFrame,
  { cells, tasks }: { readonly cells: readonly Cell[]; readonly tasks: Plan['tasks'] },
): Plan {
  const { cellsBy, config } = imported;
  return {
    schema: PLAN_SCHEMA_ID,
    purpose,
    benchmark: benchmarkOf(group.suite),
    suite: group.suite,
    skillruntime: format,
    tasks,
    initStates: [...new Set(cells.map(({ initStateId }) => initStateId))].toSorted((a, b) => a - b),
    repeats: 1 + cells.reduce((most, { runIndex }) => Math.max(most, runIndex), 0),
    arms: ['candidate'],
    order: { scheme: 'interleaved', seed: 0 },
    cells: [...cells],
    limits: {
      maxSteps: null,
      settleSteps: null,
      maxPolicyCalls: null,
      replanEverySteps: null,
      actionChunkMode: null,
      sessionTimeoutS: null,
      policyTimeoutS: null,
    },
    targetConfig: Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        shownName(key, 100),
        typeof value === 'string' ? shownName(value) : value,
      ]),
    ),
    retryErrors: 0,
    timeoutsAs: 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
    ...(cellsBy === null ? {} : { cellsBy }),
  };
}

const FIXES = {
  RB902: 'Take the files as the tool wrote them, whole and unedited.',
  RB903:
    'Import files of several runs one by one: which of two outcomes of one episode counts is nobody’s to choose.',
  RB904:
    'Write what was planned: `10x50` is tasks 0-9 and initial states 0-49, `3-7x0-9` names the ids, a third number the runs of each state.',
} as const;

function faultProblems(code: keyof typeof FIXES, faults: readonly ImportFault[]): readonly Problem[] {
  const shown = faults.slice(0, SHOWN).map(({ at, message }) =>
    fatal({
      code,
      where: shownName(at, 300),
      message: `${shownName(message, 500)}.`,
      fix: FIXES[code],
    }),
  );
  const more = faults.length - SHOWN;
  if (more <= 0) return shown;
  return [
    ...shown,
    fatal({ code, where: 'the files', message: `there are ${more} more such places.`, fix: FIXES[code] }),
  ];
}

function nothing(title: string): Problem {
  return problemOf('RB908', {
    where: title,
    message: 'there is no episode in it, so nothing is known about a success rate.',
    fix: 'Look why the evaluation ended before its first episode, and evaluate again.',
  });
}
