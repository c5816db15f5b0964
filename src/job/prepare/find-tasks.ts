import { describeTarget } from '../../describe/client.ts';
import type { TargetDescription } from '../../describe/description.ts';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Cell, Plan } from '../../model/plan.ts';
import { lateStep } from '../../outcome/late-answer.ts';
import { benchmarkEvidenceProblems } from '../../plan/benchmark-evidence.ts';
import { cellTargetConfig } from '../../plan/cell-config.ts';
import type { PlannedTask } from '../../plan/discovery.ts';
import { tasksByName, unlistedSuite } from '../../plan/suite-name.ts';
import type { TasksFile } from '../../plan/task-languages.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { type PrimerResult, runPrimer } from '../../queue/primer.ts';
import { sessionAtWork } from '../../queue/session-at-work.ts';
import { reportProblems } from '../guard.ts';
import { askServer, COLD_MS, CONNECT_MS } from './ask-server.ts';
import { type DiscoverResult, discover } from './discover.ts';
import type { OpenHost } from './open-host.ts';
import { planSuite } from './plan-suite.ts';
import { isLeftAtBadTask } from './target-answers.ts';

export interface FindTasksRequest {
  readonly host: OpenHost;
  readonly suite: string;
  readonly inputs: Inputs;
  readonly tasksFile: TasksFile | null;
  readonly runId: string;
  /** `plan` only looks: a primer session would write to the queue. */
  readonly mayPrime: boolean;
  /** Where a primer would be needed: known ids without languages will do. Left out: they will not. */
  readonly provisional?: boolean;
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
  /** The languages are not known yet, so neither is the digest of a plan. */
  readonly provisional?: true;
}

/**
 * The tasks of a suite: what the target lists, after an uncounted primer session where the server was last configured
 * for another suite, else what is written down.
 * @throws RbError RB340 to RB343, RB407 for a primer that fails, RB32x for a target that cannot be asked.
 */
export async function findTasks(request: FindTasksRequest): Promise<FoundTasks> {
  const first = await firstAnswer(request);
  if (first !== null && first.discovery.kind !== 'needs primer') return found(request, first, null);
  const described = first?.discovery.kind === 'needs primer' ? first.discovery.described : null;
  if (!request.mayPrime) return withoutPrimer(request, described);
  request.log.info(
    described === null
      ? `The server is left at a suite or task that it does not have; one uncounted primer session of ${request.suite} mends that.`
      : `The server lists the tasks of ${described}; one uncounted primer session makes it take over ${request.suite}.`,
  );
  const primer = await primeOrGiveBack(request, described, first?.description ?? null);
  return found(request, await ask(request, true), primer);
}

/** Null for a server that is left at a suite or task that it does not have: a session mends that. */
async function firstAnswer(request: FindTasksRequest): Promise<DiscoverResult | null> {
  try {
    return await ask(request, false);
  } catch (error) {
    if (isLeftAtBadTask(error) && request.mayPrime) return null;
    throw error;
  }
}

/** When the server refuses the wanted suite, it is given back the one it had, so that others can go on asking it. */
async function primeOrGiveBack(
  request: FindTasksRequest,
  described: string | null,
  description: TargetDescription | null,
): Promise<PrimerResult> {
  try {
    return await prime(request, request.suite, description);
  } catch (error) {
    // A step that was only too slow refuses nothing.
    const refused =
      error instanceof RbError &&
      error.message.includes('TARGET_PROTOCOL') &&
      lateStep(error.message) === null;
    if (!refused || described === null || request.signal.aborted) throw error;
    request.log.info(`The server refuses ${request.suite}; one session gives it back ${described}.`);
    await prime(request, described, description).catch((second: unknown) => {
      if (!(second instanceof RbError)) throw second;
      request.log.warning(`The server was not given back ${described}: ${second.message}`);
    });
    throw error;
  }
}

function ask(request: FindTasksRequest, primed: boolean): Promise<DiscoverResult> {
  const { host, inputs, suite, tasksFile } = request;
  return discover({
    endpoint: host.endpoints.target,
    describe: (endpoint) => describePatiently(request, endpoint),
    suite,
    wanted: inputs.tasks,
    primed,
    mayPrime: request.mayPrime,
    config: host.target.config,
    tasksFile,
  });
}

/** What is known of a suite that the server does not list now. */
function withoutPrimer(request: FindTasksRequest, described: string | null): FoundTasks {
  const { suite, inputs } = request;
  const tasks = request.provisional === true ? tasksByName(suite, inputs.tasks) : null;
  if (tasks === null) throw new RbError(EXIT.refused, [unlistedSuite(suite, described)]);
  const now = described === null ? 'cannot describe its tasks now' : `lists the tasks of ${described} now`;
  const why = `the server ${now}; a run lets it take over ${suite} by one uncounted session`;
  return { tasks, source: 'name of the suite', why, description: null, primer: null, provisional: true };
}

/** Waits for a server that builds its simulator or that a session keeps busy, and says so. */
function describePatiently(request: FindTasksRequest, endpoint: string): Promise<TargetDescription> {
  const { host, inputs, clock, log, signal } = request;
  return askServer({
    server: `target at ${endpoint}`,
    cold: 'builds its simulator',
    ask: (asking) =>
      describeTarget(endpoint, {
        connectTimeoutMs: CONNECT_MS,
        answerTimeoutMs: COLD_MS,
        signal: asking,
      }),
    busyWith: () => sessionAtWork(host.workspace, endpoint, clock.now()),
    whenBusy: 'wait',
    waitMs: inputs.hostWaitS * 1000,
    clock,
    log,
    signal,
  });
}

function found(request: FindTasksRequest, result: DiscoverResult, primer: PrimerResult | null): FoundTasks {
  const { discovery, description } = result;
  const evidence = benchmarkEvidenceProblems(request.host.target, description, request.inputs.evidence);
  const unproven = evidence.filter(({ severity }) => severity === 'fatal');
  // Both at once: a tasks-file alone would only lead to the next refusal.
  if (discovery.kind === 'refused') throw new RbError(EXIT.refused, [...discovery.problems, ...unproven]);
  // `discoverTasks` answers `needs primer` only before one has run.
  if (discovery.kind === 'needs primer') throw new Error('a primed server asked for a primer again');
  if (unproven.length > 0) throw new RbError(EXIT.refused, evidence);
  reportProblems([...discovery.warnings, ...evidence], request.log);
  const { tasks, source, why } = discovery;
  return { tasks, source, why, description, primer };
}

async function prime(
  request: FindTasksRequest,
  suite: string,
  description: TargetDescription | null,
): Promise<PrimerResult> {
  const { host, inputs } = request;
  const cell: Cell = { taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' };
  const plan = primerPlan({ ...request, suite }, cell, description);
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
