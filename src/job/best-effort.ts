import { problemLine } from '../errors/rb-error.ts';
import { problemsOf } from '../github/failure.ts';
import type { Log } from '../platform/ports.ts';

/**
 * Does what may fail without changing anything else, such as publishing: every problem becomes a warning and the result
 * is null. A bug is thrown all the same.
 */
export async function bestEffort<T>(log: Log, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    for (const problem of problems) log.warning(problemLine(problem));
    return null;
  }
}
