import { readTextCapped } from '../../files/atomic-file.ts';
import type { TasksFile } from '../../plan/task-languages.ts';

const MAX_TASKS_FILE_BYTES = 1024 * 1024;

/**
 * The tasks-file that the user names.
 * @throws RbError RB343, RB2xx when it cannot be read.
 */
export async function readTasksFile(file: string): Promise<TasksFile> {
  const text = await readTextCapped(file, MAX_TASKS_FILE_BYTES);
  const { parseTasksFile } = await import('../../plan/tasks-file.ts');
  return parseTasksFile(text, file);
}
