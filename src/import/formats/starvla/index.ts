import * as z from 'zod';
import { type Counted, countedEpisodes, countFigure, rateFigure, validOf } from '../../importer/figures.ts';
import type { Imported, ImportedEpisode, Importer, ImportInput } from '../../importer/importer.ts';
import { OUTCOME_ONLY } from '../../importer/outcome-only.ts';
import { issueText, misread, readSourceJson, type SourceValue } from '../../importer/read-source.ts';

const name = z.string().max(500);
const whole = z.int().min(0).max(1_000_000);

/** One environment of RoboCasa, in the order in which parallel episodes ended. */
const environment = z.looseObject({
  env: name,
  success_rate: z.number().nullish(),
  successes: z.array(z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean)).max(1_000_000),
});
type Environment = z.infer<typeof environment>;

/** A suite of LIBERO by its client, counted by language. */
const perLanguage = z.looseObject({
  model: name.nullish(),
  task_suite: name,
  task_start: whole.nullish(),
  task_end: whole.nullish(),
  total_successes: whole.nullish(),
  total_episodes: whole.nullish(),
  success_rate: z.number().nullish(),
  per_task: z.record(name, z.looseObject({ success: whole, total: whole })),
});
type PerLanguage = z.infer<typeof perLanguage>;

/** JSON of starVLA: one environment with its outcomes, or a suite with a count for each language. */
export const starvla: Importer = {
  format: 'starvla',
  title: 'starVLA: JSON of an environment or of a suite',
  detect: ({ text }) =>
    (/"env"\s*:\s*"/.test(text) && /"successes"\s*:\s*\[/.test(text)) ||
    (/"task_suite"\s*:\s*"/.test(text) && /"per_task"\s*:\s*\{/.test(text)),
  read,
};

function read({ sources }: ImportInput): Imported {
  const environments: SourceValue<Environment>[] = [];
  const suites: SourceValue<PerLanguage>[] = [];
  for (const source of sources) {
    const value = readSourceJson(source);
    const one = environment.safeParse(value);
    const other = perLanguage.safeParse(value);
    if (one.success) environments.push({ source, value: one.data });
    else if (other.success) suites.push({ source, value: other.data });
    else throw misread(source.name, issueText(other.error));
  }
  if (environments.length > 0 && suites.length > 0)
    throw misread(sources[0]?.name ?? '', 'the files are of two kinds of starVLA; import them one by one');
  return suites.length > 0 ? fromSuites(suites) : fromEnvironments(environments);
}

function fromEnvironments(files: readonly SourceValue<Environment>[]): Imported {
  const episodes = files.flatMap(({ source, value }) =>
    value.successes.map(
      (success, at): ImportedEpisode => ({
        ...OUTCOME_ONLY,
        suite: null,
        task: { id: null, name: value.env },
        place: at,
        outcome: success ? 'success' : 'failure',
        at: `${source.name} successes[${at}]`,
      }),
    ),
  );
  return {
    ...NOTHING,
    title: 'JSON of starVLA, one environment each',
    cellsBy: 'order',
    matching:
      'Episodes stand in the order in which parallel environments ended: nothing tells which initial states ran.',
    episodes,
    figures: files.flatMap(({ source, value }) => {
      if (value.success_rate == null) return [];
      const counted = validOf(
        value.successes.map((success) => ({ outcome: success ? 'success' : 'failure' }) as const),
      );
      const told = {
        name: `${source.name}: success_rate`,
        suite: null,
        within: 0.006,
        why: 'its list of outcomes gives another rate',
      };
      return [rateFigure({ ...told, percent: 100 * value.success_rate }, counted)];
    }),
    notes: [
      'Environments that end in the last pass are all written, so a file may hold more episodes than were asked for.',
    ],
  };
}

function fromSuites(files: readonly SourceValue<PerLanguage>[]): Imported {
  const faults = files.flatMap(({ source, value }) =>
    Object.entries(value.per_task)
      .filter(([, { success, total }]) => success > total)
      .map(([task]) => ({
        at: `${source.name} per_task ${task}`,
        message: 'it has more successes than episodes',
      })),
  );
  const episodes = files.flatMap(({ source, value }) =>
    Object.entries(value.per_task).flatMap(([task, { success, total }]) =>
      countedEpisodes(
        { suite: value.task_suite, task: { id: null, name: task }, at: `${source.name} per_task ${task}` },
        { k: Math.min(success, total), n: total },
      ),
    ),
  );
  return {
    ...NOTHING,
    title: 'JSON of starVLA, a count for each language',
    cellsBy: 'count',
    matching: 'The file holds counts and no episodes: nothing can be paired.',
    episodes,
    figures: files.flatMap(({ source, value }) => suiteFigures(source.name, value)),
    notes: files.flatMap(({ source, value }) =>
      value.task_start == null || value.task_end == null
        ? []
        : [`${source.name} is of tasks ${value.task_start} to ${value.task_end - 1} of its suite.`],
    ),
    faults,
  };
}

/** Two tasks of one language overwrite each other, which the totals show. */
function suiteFigures(file: string, value: PerLanguage): Imported['figures'] {
  const counted = Object.values(value.per_task).reduce<Counted>(
    (sum, { success, total }) => ({ k: sum.k + success, n: sum.n + total }),
    { k: 0, n: 0 },
  );
  const why = 'tasks of one language overwrite each other in this file, so episodes are missing in it';
  const { total_episodes: n, total_successes: k, task_suite: suite } = value;
  return [
    ...(n == null
      ? []
      : [countFigure(`${file}: total_episodes`, suite, { told: n, counted: counted.n, why })]),
    ...(k == null
      ? []
      : [countFigure(`${file}: total_successes`, suite, { told: k, counted: counted.k, why })]),
  ];
}

const NOTHING = { version: null, declared: [], faults: [], config: {} } as const;
