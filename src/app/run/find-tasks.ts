import { EXIT, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { cellTargetConfig } from '../../plan/cell-config.ts';
import type { PlannedTask } from '../../plan/discovery.ts';
import type { Cell, Plan } from '../../plan/plan.ts';
import type { TasksFile } from '../../plan/tasks-file.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { type PrimerResult, runPrimer } from '../../queue/primer.ts';
import type { TargetDescription } from '../../target/description.ts';
import { type DiscoverResult, discover } from '../../target/discover.ts';
import { reportProblems } from '../guard.ts';
import type { OpenHost } from './open-host.ts';
import { planSuite } from './plan-suite.ts';

/** Connecting waits for the chunk that is being executed; building a simulator takes tens of seconds. */
const CONNECT_TIMEOUT_MS = 60_000;
const DESCRIBE_TIMEOUT_MS = 120_000;

export interface FindTasksRequest {
  readonly host: OpenHost;
  readonly suite: string;
  readonly inputs: Inputs;
  readonly tasksFile: TasksFile | null;
  readonly runId: string;
  /** `plan` only looks: a primer session would write to the queue. */
  readonly mayPrime: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface FoundTasks {
  readonly tasks: readonly PlannedTask[];
  readonly source: string;
  readonly why: string;
  readonly description: TargetDescription | null;
  readonly primer: PrimerResult | null;
}

/**
 * The tasks of a suite: what the target lists, after an uncounted primer session where the server was last configured
 * for another suite, else what is written down.
 * @throws RbError RB340 to RB343, RB407 for a primer that fails, RB32x for a target that cannot be asked.
 */
export async function findTasks(request: FindTasksRequest): Promise<FoundTasks> {
  const first = await ask(request, false);
  if (first.discovery.kind !== 'needs primer') return found(request, first, null);
  const described = first.discovery.described;
  request.log.info(
    `The server lists the tasks of ${described}; one uncounted primer session makes it take over ${request.suite}.`,
  );
  const primer = await prime(request, first.description);
  return found(request, await ask(request, true), primer);
}

function ask(request: FindTasksRequest, primed: boolean): Promise<DiscoverResult> {
  const { host, inputs, suite, tasksFile, signal } = request;
  return discover({
    endpoint: host.endpoints.target,
    describe: { connectTimeoutMs: CONNECT_TIMEOUT_MS, answerTimeoutMs: DESCRIBE_TIMEOUT_MS, signal },
    suite,
    wanted: inputs.tasks,
    primed,
    mayPrime: request.mayPrime,
    config: host.target.config,
    tasksFile,
  });
}

function found(request: FindTasksRequest, result: DiscoverResult, primer: PrimerResult | null): FoundTasks {
  const { discovery, description } = result;
  if (discovery.kind === 'refused') throw new RbError(EXIT.refused, discovery.problems);
  // `discoverTasks` answers `needs primer` only before one has run.
  if (discovery.kind === 'needs primer') throw new Error('a primed server asked for a primer again');
  reportProblems(discovery.warnings, request.log);
  const { tasks, source, why } = discovery;
  return { tasks, source, why, description, primer };
}

async function prime(
  request: FindTasksRequest,
  description: TargetDescription | null,
): Promise<PrimerResult> {
  const { host, inputs } = request;
  const cell: Cell = { taskId: 0, initStateId: inputs.initStates[0] ?? 0, runIndex: 0, arm: 'candidate' };
  const plan = primerPlan(request, cell, description);
  return runPrimer({
    workspace: host.workspace,
    runId: request.runId,
    base: host.base,
    config: cellTargetConfig(host.target.config, plan, cell),
    skillruntime: host.skillruntime,
    limits: plan.limits,
    targetEndpoint: host.endpoints.targetOverride,
    timeoutMs: inputs.stallTimeoutS * 1000,
    clock: request.clock,
    log: request.log,
    signal: request.signal,
  });
}

/** A plan of the one cell that the primer runs; its language is not known yet and reaches nothing that counts. */
function primerPlan(
  { host, inputs, suite }: FindTasksRequest,
  cell: Cell,
  actions: TargetDescription | null,
): Plan {
  return planSuite({
    suite,
    purpose: 'adhoc',
    skillruntime: host.skillruntime,
    tasks: [{ taskId: cell.taskId, language: 'primer' }],
    arms: ['candidate'],
    inputs: { ...inputs, initStates: [cell.initStateId], repeats: 1 },
    base: host.target.config,
    actions,
  });
}
