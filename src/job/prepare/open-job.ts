import type { TasksFile } from '../../plan/task-languages.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { reportProblems } from '../guard.ts';
import type { VerbContext } from '../verb.ts';
import type { FindTasksRequest } from './find-tasks.ts';
import { type HostNeeds, type OpenHost, openHost } from './open-host.ts';
import { suitesOf } from './plan-for.ts';
import { readTasksFile } from './read-tasks-file.ts';

/** A job on a host that can be measured on: where everything that plans begins. */
export interface OpenJob {
  readonly verb: VerbContext;
  readonly run: RunContext;
  readonly needs: HostNeeds;
  readonly host: OpenHost;
  /** All suites of the job, in their order. */
  readonly suites: readonly string[];
  readonly tasksFile: TasksFile | null;
}

/**
 * Opens the host and finds out which suites are meant; what the runtime would mislike is warned of. Writes nothing.
 * @throws RbError as `openHost`, `readTasksFile` and `suitesOf`.
 */
export async function openJob(verb: VerbContext, run: RunContext, needs: HostNeeds): Promise<OpenJob> {
  const { inputs, log } = verb;
  const host = await openHost(inputs, needs);
  reportProblems(host.warnings, log);
  const tasksFile = inputs.tasksFile === null ? null : await readTasksFile(inputs.tasksFile);
  return { verb, run, needs, host, suites: suitesOf(inputs, host), tasksFile };
}

/** How the tasks of one of its suites are looked for. Pure. */
export function searchOf(
  { verb, host, tasksFile }: Pick<OpenJob, 'verb' | 'host' | 'tasksFile'>,
  suite: string,
  how: Pick<FindTasksRequest, 'runId' | 'mayPrime' | 'provisional'>,
): FindTasksRequest {
  const { inputs, clock, log, signal } = verb;
  return { host, suite, inputs, tasksFile, ...how, clock, log, signal };
}
