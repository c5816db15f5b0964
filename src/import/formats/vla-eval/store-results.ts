import { isTooDeep } from '../../../base/json-depth.ts';
import type { ImportFault, ImportSource } from '../../importer/importer.ts';
import { parsePythonJson } from '../../importer/python-json.ts';
import { issueText, misread, type SourceValue } from '../../importer/read-source.ts';
import { type Results, results } from './layout.ts';
import type { EpisodeRow, StoreRows } from './store-rows.ts';

/** The evaluations of a store, each as `vla-eval merge` would write it, and what contradicts itself. */
interface StoreResults {
  readonly files: readonly SourceValue<Results>[];
  readonly faults: readonly ImportFault[];
  readonly notes: readonly string[];
}

/**
 * Results out of the rows of a store. The status of an episode decides; metrics that say something else forbid to count.
 * Pure.
 * @throws RbError RB902 for texts in it that are no JSON of vla-eval.
 */
export function storeResults(source: ImportSource, rows: StoreRows): StoreResults {
  const faults: ImportFault[] = [];
  const byEvaluation = new Map<string, EpisodeRow[]>(
    rows.eval_metadata.map(({ eval_id: id }) => [id, []] as const),
  );
  for (const row of sorted(rows.episode_results)) {
    const own = byEvaluation.get(row.eval_id);
    if (own === undefined)
      faults.push({
        at: placeOf(source, row),
        message: 'its evaluation is not in eval_metadata',
      });
    else own.push(row);
  }
  const files = rows.eval_metadata
    .toSorted((left, right) => (left.eval_id < right.eval_id ? -1 : 1))
    .map(({ eval_id: id, safe_name: name, metadata }): SourceValue<Results> => {
      const where = `${source.name} eval_metadata ${id}`;
      const body = {
        benchmark: name,
        ...objectIn(metadata, where),
        ...shardFacts(rows, id),
        tasks: tasksOf(byEvaluation.get(id) ?? [], source, faults),
      };
      const parsed = results.safeParse(body);
      if (parsed.success) return { source, value: parsed.data };
      throw misread(where, issueText(parsed.error));
    });
  const empty = files.filter(({ value }) => value.tasks.length === 0);
  const notes = empty.map(({ value }) => `${source.name} has no episode of ${value.benchmark}.`);
  return {
    files: files.filter((file) => !empty.includes(file)),
    faults,
    notes,
  };
}

/** Where a row lies. Pure. */
export function placeOf(
  { name }: Pick<ImportSource, 'name'>,
  { sid, eid }: Readonly<Record<'sid' | 'eid', unknown>>,
): string {
  return `${name} episode_results sid ${String(sid)} eid ${String(eid)}`;
}

/** The order of rows in a file is that of writing, which nothing may depend on. */
function sorted(rows: readonly EpisodeRow[]): readonly EpisodeRow[] {
  const keys = (row: EpisodeRow): readonly (string | number)[] => [
    row.task_name ?? '',
    row.episode_id ?? -1,
    row.sid,
    row.eid,
  ];
  return rows
    .map((row) => ({ row, key: keys(row) }))
    .toSorted(({ key: left }, { key: right }) => {
      const at = left.findIndex((part, index) => part !== right[index]);
      return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
    })
    .map(({ row }) => row);
}

function tasksOf(rows: readonly EpisodeRow[], source: ImportSource, faults: ImportFault[]): unknown[] {
  const tasks = new Map<string, unknown[]>();
  for (const row of rows) {
    const at = placeOf(source, row);
    const name = row.task_name ?? '';
    if (name === '' || row.episode_id === null) {
      faults.push({
        at,
        message: name === '' ? 'it names no task' : 'it has no number',
      });
      continue;
    }
    const list = tasks.get(name) ?? [];
    tasks.set(name, list);
    list.push(episodeOf(row, at, faults));
  }
  return [...tasks].map(([task, episodes]) => ({ task, episodes }));
}

function episodeOf(row: EpisodeRow, at: string, faults: ImportFault[]): Readonly<Record<string, unknown>> {
  const metrics = objectIn(row.metrics ?? '{}', `${at} metrics`);
  const context = objectIn(row.context ?? '{}', `${at} context`);
  const contradiction = contradictionIn(row, metrics['success']);
  if (contradiction !== null) faults.push({ at, message: contradiction });
  const isError = row.status === 'error';
  const reason = row.failure_reason ?? '';
  return {
    ...{ sid: row.sid, eid: row.eid, episode_id: row.episode_id, metrics },
    ...{ suite: context['suite'], task_id: context['task_id'] },
    // Its writer puts 0 where it does not know them, as for every error.
    steps: row.steps === 0 ? null : row.steps,
    elapsed_sec: row.elapsed_sec === 0 ? null : row.elapsed_sec,
    failure_reason: isError ? (reason === '' ? 'unknown' : reason) : null,
    failure_detail: row.failure_detail,
  };
}

function contradictionIn({ status, failure_reason: reason }: EpisodeRow, success: unknown): string | null {
  if (status === 'error') return null;
  if (status !== 'success' && status !== 'fail')
    return `its status is ${String(status).slice(0, 80)}, which is none of success, fail and error`;
  if ((reason ?? '') !== '')
    return `its status is ${status}, and it failed by ${String(reason).slice(0, 80)} all the same`;
  const succeeded = success === true || success === 1;
  const known = succeeded || success === false || success === 0;
  return known && succeeded !== (status === 'success')
    ? `its status is ${status}, and its metrics say success: ${String(success)}`
    : null;
}

/** Stores of later releases say which shards wrote to them, and whether these came to their end. */
function shardFacts({ eval_shards: all }: StoreRows, id: string): Readonly<Record<string, unknown>> {
  const shards = all.filter(({ eval_id: own }) => own === id);
  const expected = shards.reduce((most, { num_shards: count }) => Math.max(most, count), 0);
  const ended = shards.filter(({ complete }) => complete === 1).length;
  return { partial: ended < expected ? true : null };
}

function objectIn(text: string, where: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch {
    throw misread(where, 'it is no JSON');
  }
  if (isTooDeep(value)) throw misread(where, 'it is nested deeper than any result');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw misread(where, 'it is no object');
}
