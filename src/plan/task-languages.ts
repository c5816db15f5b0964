/** Languages by task id. */
export type TaskLanguages = ReadonlyMap<number, string>;

/** Languages by suite; the suite is null where the file describes a single, unnamed one. */
export type TasksFile = ReadonlyMap<string | null, TaskLanguages>;

/** The tasks a file has for a suite; a file of one unnamed suite is for whichever is asked. */
export function tasksOf(file: TasksFile, suite: string): TaskLanguages | null {
  return file.get(suite) ?? file.get(null) ?? null;
}
