import { rateFigure, validOf } from '../../importer/figures.ts';
import type { Imported, ImportedEpisode, ImportFault, ImportSource } from '../../importer/importer.ts';
import { OUTCOME_ONLY } from '../../importer/outcome-only.ts';
import type { SourceValue } from '../../importer/read-source.ts';
import type { Episode, Results } from './layout.ts';

type Files = readonly SourceValue<Results>[];

/** States that LIBERO ships of each task; beyond them the harness begins anew. */
const LIBERO_STATES = 50;

/**
 * Episodes of one run: of one file, or of all shards that are there.
 * @param placeInStore names an episode by its row, where all files are evaluations in one store. Left out: they are JSON.
 */
export function fromResults(
  files: Files,
  placeInStore?: (source: ImportSource, row: Readonly<Record<'sid' | 'eid', unknown>>) => string,
): Imported {
  const faults: ImportFault[] = [...differences(files, placeInStore !== undefined)];
  const isLibero = files.every(({ value }) => /libero/i.test(value.benchmark));
  const numbered = files.every(({ value }) =>
    value.tasks.every(({ episodes }) => episodes.every(({ task_id: id }) => id != null)),
  );
  const episodes = files.flatMap(({ source, value }) =>
    value.tasks.flatMap(({ task, episodes: list }, at) =>
      list.map((episode, index) =>
        episodeOf(
          {
            ...{ value, episode, task },
            at:
              placeInStore?.(source, { sid: episode['sid'], eid: episode['eid'] }) ??
              `${source.name} tasks[${at}].episodes[${index}]`,
          },
          { isLibero, numbered },
          faults,
        ),
      ),
    ),
  );
  const envSeed = seedOf(files[0]?.value);
  return {
    title: 'JSON of the VLA evaluation harness (vla-eval)',
    version: files[0]?.value.harness_version ?? null,
    cellsBy: isLibero ? null : 'scenario',
    matching: isLibero
      ? 'The number of an episode is the initial state of LIBERO that it began in.'
      : 'Episodes are told by their numbers, which stand for the same scenario in every run of this benchmark.',
    episodes,
    declared: placeInStore === undefined ? declaredIn(files) : files.flatMap(declaredInEvaluation),
    figures: files.flatMap((file) => figuresOf(file, files.length > 1)),
    notes: notesOf(files),
    faults,
    config: {},
    ...(envSeed === null ? {} : { envSeed }),
  };
}

function seedOf(value: Results | undefined): number | null {
  return value?.config?.params?.seed ?? value?.seed ?? null;
}

/** Shards are of one run: what differs makes them two. One store may hold several benchmarks of a run. */
function differences(files: Files, inStore: boolean): ImportFault[] {
  const [first, ...others] = files;
  if (first === undefined) return [];
  const told = ({ value }: SourceValue<Results>): Readonly<Record<string, unknown>> => ({
    'harness version': value.harness_version ?? null,
    seed: seedOf(value),
    ...(inStore
      ? {}
      : {
          benchmark: value.benchmark,
          'number of shards': value.shard?.total ?? null,
          'episodes of each task': value.config?.episodes_per_task ?? null,
        }),
  });
  const known = told(first);
  return others.flatMap((other) =>
    Object.entries(told(other))
      .filter(([what, value]) => known[what] !== value)
      .map(([what, value]) => ({
        at: other.source.name,
        message: `its ${what} is ${String(value)}, that of ${first.source.name} ${String(known[what])}: they are of different runs`,
      })),
  );
}

interface Found {
  readonly value: Results;
  readonly episode: Episode;
  readonly task: string;
  readonly at: string;
}

function episodeOf(
  { value, episode, task, at }: Found,
  { isLibero, numbered }: { readonly isLibero: boolean; readonly numbered: boolean },
  faults: ImportFault[],
): ImportedEpisode {
  const { episode_id: id, failure_reason: reason, failure_detail: detail } = episode;
  const success = episode.metrics?.['success'];
  const failed = reason != null && reason !== '';
  if (!failed && typeof success !== 'boolean' && success !== 0 && success !== 1)
    faults.push({
      at,
      message: `it has no success among its metrics (${
        Object.keys(episode.metrics ?? {})
          .join(', ')
          .slice(0, 100) || 'none'
      }), and another measure is no success rate`,
    });
  return {
    ...OUTCOME_ONLY,
    suite: suiteOf(value, episode),
    task: { id: numbered ? (episode.task_id ?? null) : null, name: task },
    language: task,
    place: isLibero ? id % LIBERO_STATES : id,
    run: isLibero ? Math.floor(id / LIBERO_STATES) : 0,
    outcome: failed ? 'error' : success === true || success === 1 ? 'success' : 'failure',
    steps: episode.steps ?? null,
    durationMs: episode.elapsed_sec == null ? null : 1000 * episode.elapsed_sec,
    errorCode: failed ? reason.toUpperCase() : null,
    errorMessage: detail ?? null,
    at,
  };
}

function suiteOf(value: Results, episode: Episode): string {
  return episode.suite ?? value.config?.params?.suite ?? value.benchmark;
}

/** What an evaluation declares holds for its own suites. */
function declaredInEvaluation(file: SourceValue<Results>): Imported['declared'] {
  const { value } = file;
  const suites = new Set(value.tasks.flatMap(({ episodes }) => episodes.map((each) => suiteOf(value, each))));
  return declaredIn([file]).flatMap((each) => [...suites].map((suite) => ({ ...each, suite })));
}

function declaredIn(files: Files): Imported['declared'] {
  const perTask = files[0]?.value.config?.episodes_per_task;
  return perTask == null
    ? []
    : [{ suite: null, tasks: null, perTask, by: 'as config.episodes_per_task says' }];
}

/** `mean_success` has four digits and counts errors as failures. */
function figuresOf({ source, value }: SourceValue<Results>, several: boolean): Imported['figures'] {
  if (value.mean_success == null) return [];
  const list = value.tasks.flatMap(({ episodes }) => episodes);
  const errors = list.filter(({ failure_reason: reason }) => reason != null && reason !== '').length;
  const outcomes = list.map(({ failure_reason: reason, metrics }) => {
    const success = metrics?.['success'];
    if (reason != null && reason !== '') return { outcome: 'error' } as const;
    return { outcome: success === true || success === 1 ? 'success' : 'failure' } as const;
  });
  const why =
    errors > 0
      ? `it counts ${errors} ${errors === 1 ? 'episode that ended in an error' : 'episodes that ended in errors'} as failed`
      : 'its episodes give another rate';
  const name = several ? `${source.name}: mean_success` : 'mean_success';
  return [
    rateFigure(
      { name, suite: null, percent: 100 * value.mean_success, within: 0.006, why },
      validOf(outcomes),
    ),
  ];
}

function notesOf(files: Files): string[] {
  const total = files[0]?.value.shard?.total ?? null;
  const ids = new Set(files.flatMap(({ value }) => value.shard?.id ?? []));
  const missing =
    total === null
      ? []
      : Array.from({ length: Math.min(total, 1000) }, (_, id) => id).filter((id) => !ids.has(id));
  const models = new Set(files.flatMap(({ value }) => value.server_info?.model ?? []));
  return [
    ...(missing.length === 0
      ? []
      : [`Of ${total} shards ${missing.length} are missing: ${missing.slice(0, 20).join(', ')}.`]),
    ...files
      .filter(({ value }) => value.partial === true)
      .map(({ source }) => `${source.name} says that the run was cut short.`)
      .filter((note, index, all) => all.indexOf(note) === index),
    ...[...models].map((model) => `The policy server called its model ${model}.`),
  ];
}
