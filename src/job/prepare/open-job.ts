import type { TasksFile } from '../../plan/task-languages.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { reportProblems } from '../guard.ts';
import type { VerbContext } from '../verb.ts';
import type { FindTasksRequest } from './find-tasks.ts';
import { type HostNeeds, type OpenHost, openHost } from './open-host.ts';
import { suitesOf } from './plan-for.ts';
import { withCheckpointDigest } from './policy-source.ts';
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
 * Opens the host and finds out which suites are meant; what the runtime would mislike is warned of. Writes nothing but what is known of
 * a checkpoint.
 * @throws RbError as `openHost`, `withCheckpointDigest`, `readTasksFile` and `suitesOf`.
 */
export async function openJob(given: VerbContext, run: RunContext, needs: HostNeeds): Promise<OpenJob> {
  const { log, signal } = given;
  const host = await openHost(given.inputs, needs);
  const inputs = await withCheckpointDigest(given.inputs, { log, signal, keep: needs.policy });
  const verb = { ...given, inputs };
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
