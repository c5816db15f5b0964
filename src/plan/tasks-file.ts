import { type Document, parseDocument } from 'yaml';
import * as z from 'zod';
import { MAX_USER_YAML_DEPTH, tooDeepLine } from '../base/yaml-depth.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { TaskLanguages, TasksFile } from './task-languages.ts';

const MAX_TASKS_FILE_BYTES = 1024 * 1024;

const taskId = z.string().regex(/^(?:0|[1-9][0-9]{0,6})$/);
const language = z.string().min(1).max(4000);
const oneSuite = z.record(taskId, language);
const listed = z.array(z.object({ task_id: z.int().min(0), language }));
const suiteTasks = z.union([
  oneSuite,
  listed.transform((tasks) => Object.fromEntries(tasks.map((task) => [String(task.task_id), task.language]))),
]);

/**
 * Reads a tasks-file: YAML or JSON, a map from suite to its tasks, or the tasks of one suite. Tasks are a map from id
 * to language, or a list of `{task_id, language}` (the `task_list` of a described target, saved).
 * @param name how messages call the file.
 * @throws RbError RB343 (exit 2).
 */
export function parseTasksFile(text: string, name: string): TasksFile {
  if (Buffer.byteLength(text) > MAX_TASKS_FILE_BYTES) throw unusable(name, 'is larger than 1 MB.');
  const deep = tooDeepLine(text);
  if (deep !== null)
    throw unusable(name, `nests more than ${MAX_USER_YAML_DEPTH} levels deep in line ${deep}.`);
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  const error = document.errors[0];
  if (error !== undefined) throw unusable(name, `is not YAML or JSON: ${error.message.split('\n', 1)[0]}.`);
  const value = plainValue(document, name);
  const single = suiteTasks.safeParse(value);
  if (single.success) return new Map([[null, languages(single.data)]]);
  const several = z.record(z.string().min(1).max(200), suiteTasks).safeParse(value);
  if (!several.success)
    throw unusable(name, 'is neither a map from suite to tasks nor a map from task id to language.');
  return new Map(Object.entries(several.data).map(([suite, tasks]) => [suite, languages(tasks)]));
}

/** Without aliases: they can make a small text into a huge value. */
function plainValue(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw unusable(name, 'holds a YAML alias.');
  }
}

function languages(tasks: Readonly<Record<string, string>>): TaskLanguages {
  return new Map(Object.entries(tasks).map(([id, text]) => [Number(id), text]));
}

function unusable(name: string, message: string): RbError {
  return errorOf('RB343', {
    where: name,
    message,
  });
}
