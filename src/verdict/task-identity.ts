import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { few } from './few.ts';

/** A task as a stored baseline keeps it; an empty language is unknown. */
export interface KeptTask {
  readonly taskId: number;
  readonly language: string;
}

/** What a target calls a task beside its language; a field it does not tell is null. */
export interface TaskNames extends Pick<KeptTask, 'taskId'> {
  readonly name: string | null;
  /** Folder and file that define it. */
  readonly file: string | null;
}

const NAME_FIELD = /^(task_name|task_file)\.(\d+)$/;

/** Fingerprint fields `task_name.<id>` and `task_file.<id>` of the planned tasks, as far as the target tells them. */
export function taskFields(plan: Plan, names: readonly TaskNames[]): Record<string, string> {
  const planned = new Set(plan.tasks.map(({ taskId }) => taskId));
  return Object.fromEntries(
    names
      .filter(({ taskId }) => planned.has(taskId))
      .flatMap(({ taskId, name, file }) => [
        ...(name === null ? [] : [[`task_name.${taskId}`, name] as const]),
        ...(file === null ? [] : [[`task_file.${taskId}`, file] as const]),
      ]),
  );
}

/** `task_name of task 3` for a fingerprint's field of a task; null for any other field. */
export function taskFieldText(field: string): string | null {
  const match = NAME_FIELD.exec(field);
  return match === null ? null : `${match[1]} of task ${match[2]}`;
}

/** Fields in which the texts of shared tasks differ, e.g. `task_language of task 3`. */
export function languageDifferences(plan: Pick<Plan, 'tasks'>, kept: readonly KeptTask[]): string[] {
  const languages = new Map(plan.tasks.map((task) => [task.taskId, task.language]));
  const differing = new Set<number>();
  for (const { taskId, language } of kept) {
    const planned = languages.get(taskId);
    if (planned !== undefined && planned !== '' && language !== '' && planned !== language)
      differing.add(taskId);
  }
  return [...differing].sort((a, b) => a - b).map((taskId) => `task_language of task ${taskId}`);
}

/** The tasks of records, each once. */
export function tasksOfRecords(records: readonly Pick<EpisodeRecord, 'taskId' | 'language'>[]): KeptTask[] {
  const once = new Map(
    records.map(({ taskId, language }) => [`${taskId} ${language}`, { taskId, language }]),
  );
  return [...once.values()].sort((a, b) => a.taskId - b.taskId);
}

/**
 * Says of which shared tasks nobody can tell whether they are the same: the baseline keeps no text, or several planned
 * tasks share one and a name is missing on a side. Pairs then go by the task's number alone.
 */
export function unknownTasks(
  plan: Pick<Plan, 'tasks'>,
  name: string,
  sides: {
    readonly kept: readonly KeptTask[];
    /** Of this run and of the baseline. */
    readonly fingerprints: readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  },
): Reason[] {
  const kept = new Map(sides.kept.map(({ taskId, language }) => [taskId, language]));
  const named = (taskId: number): boolean =>
    sides.fingerprints.every((fields) => typeof fields[`task_name.${taskId}`] === 'string');
  const unique = (language: string): boolean =>
    plan.tasks.filter((task) => task.language === language).length === 1;
  const unknown = plan.tasks.filter(({ taskId, language }) => {
    const other = kept.get(taskId);
    if (other === undefined || named(taskId)) return false;
    return other === '' || language === '' || !unique(language);
  });
  if (unknown.length === 0) return [];
  const which = few(unknown.map(({ taskId }) => String(taskId)));
  const text = `Not established that task ${which} of ${name} is the task of the same number here: the baseline keeps no text or name that tells. Pairs go by task number alone; a baseline that is measured or accepted anew keeps them.`;
  return [{ code: 'task_identity_unknown', text }];
}
