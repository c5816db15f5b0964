import { readTextCapped } from '../../files/atomic-file.ts';
import type { TasksFile } from '../../plan/task-languages.ts';
import { parseTasksFile } from '../../plan/tasks-file.ts';

const MAX_TASKS_FILE_BYTES = 1024 * 1024;

/**
 * The tasks-file that the user names.
 * @throws RbError RB343, RB2xx when it cannot be read.
 */
export async function readTasksFile(file: string): Promise<TasksFile> {
  return parseTasksFile(await readTextCapped(file, MAX_TASKS_FILE_BYTES), file);
}
