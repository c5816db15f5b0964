import { canonicalDigest } from '../base/canonical-json.ts';
import { type Random, seededRandom, shuffled } from '../base/random.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { type Caps, sessionCapProblems } from '../model/caps.ts';
import {
  type Arm,
  type Cell,
  type HeldOutClaim,
  type Limits,
  PLAN_SCHEMA_ID,
  type Plan,
  planSchema,
  type Thresholds,
} from '../model/plan.ts';
import { placeOf } from './held-out-list.ts';

/** A plan above this is a mistake of a range: at 10 s an episode it would run for twelve days. */
const MAX_CELLS = 100_000;

export interface PlanRequest {
  readonly purpose: Plan['purpose'];
  readonly benchmark: string;
  readonly suite: string;
  readonly skillruntime: string;
  readonly tasks: readonly { readonly taskId: number; readonly language: string }[];
  readonly initStates: readonly number[];
  readonly repeats: number;
  readonly arms: readonly Arm[];
  /** The second arm after the first, where they cannot be served at once; left out: pair by pair. */
  readonly sequential?: boolean | undefined;
  readonly seed: number;
  readonly limits: Limits;
  readonly targetConfig: Readonly<Record<string, unknown>>;
  readonly retryErrors: number;
  readonly timeoutsAs: Plan['timeoutsAs'];
  readonly thresholds: Thresholds;
  readonly earlyStop?: boolean;
  readonly stopBaseline?: string | undefined;
  readonly aaTest?: boolean;
  readonly evidence?: Plan['evidence'];
  readonly caps?: Caps | undefined;
  readonly heldOut?: HeldOutClaim | undefined;
  /** Of tasks × initial states only these; left out: all. */
  readonly only?: readonly Pick<Cell, 'taskId' | 'initStateId'>[] | undefined;
  /** As `Plan`. */
  readonly unattributed?: Plan['unattributed'];
}

/**
 * All cells and settings of one suite. The same request gives the same plan and digest, in whatever order tasks and
 * initial states were named.
 * @throws RbError RB330, RB331, RB332, RB335 when the request cannot make a plan.
 */
export function makePlan(request: PlanRequest): Plan {
  const problems = requestProblems(request);
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  const ordered = orderCells({
    taskIds: ascending(request.tasks.map((task) => task.taskId)),
    initStates: ascending(request.initStates),
    repeats: request.repeats,
    arms: request.arms,
    seed: request.seed,
  }).filter(chosenBy(request.only));
  return planOfCells(request, isSequential(request) ? armAfterArm(ordered, request.arms) : ordered);
}

/** The plan whose cells are known, because it was made here or because somebody ran them already. Pure. */
export function planOfCells(request: PlanRequest, cells: readonly Cell[]): Plan {
  return planSchema.parse({
    schema: PLAN_SCHEMA_ID,
    purpose: request.purpose,
    benchmark: request.benchmark,
    suite: request.suite,
    skillruntime: request.skillruntime,
    tasks: request.tasks
      .toSorted((left, right) => left.taskId - right.taskId)
      .map(({ taskId, language }) => ({ taskId, language })),
    initStates: ascending(request.initStates),
    repeats: request.repeats,
    arms: [...request.arms],
    order: { scheme: schemeOf(request), seed: request.seed },
    cells,
    limits: request.limits,
    targetConfig: request.targetConfig,
    retryErrors: request.retryErrors,
    timeoutsAs: request.timeoutsAs,
    thresholds: request.thresholds,
    // Absent rather than false, so that plans without them keep their digest.
    ...(request.earlyStop === true ? { earlyStop: true, stopDesign: 'looks' as const } : {}),
    ...(request.stopBaseline !== undefined ? { stopBaseline: request.stopBaseline } : {}),
    ...(request.aaTest === true ? { aaTest: true } : {}),
    ...(request.evidence === undefined ? {} : { evidence: request.evidence }),
    ...(request.caps === undefined ? {} : { caps: request.caps }),
    ...(request.heldOut === undefined ? {} : { heldOut: request.heldOut }),
    ...(request.unattributed === undefined ? {} : { unattributed: request.unattributed }),
  });
}

function isSequential({ arms, sequential }: PlanRequest): boolean {
  return sequential === true && arms.length > 1;
}

function schemeOf(request: PlanRequest): Plan['order']['scheme'] {
  if (request.arms.length < 2) return 'interleaved';
  return isSequential(request) ? 'sequential' : 'abba';
}

/** Each arm in the order of its pairs, so that the n-th episodes of both belong together. */
function armAfterArm(cells: readonly Cell[], arms: readonly Arm[]): Cell[] {
  return arms.flatMap((arm) => cells.filter((cell) => cell.arm === arm));
}

function ascending(ids: readonly number[]): number[] {
  return ids.toSorted((left, right) => left - right);
}

function chosenBy(only: PlanRequest['only']): (cell: Cell) => boolean {
  if (only === undefined) return () => true;
  const wanted = new Set(only.map(placeOf));
  return (cell) => wanted.has(placeOf(cell));
}

function requestProblems(request: PlanRequest): Problem[] {
  const problems: Problem[] = [];
  const count = request.tasks.length * request.initStates.length * request.repeats * request.arms.length;
  if (count === 0 || count > MAX_CELLS) {
    problems.push(
      problemOf('RB330', {
        where: `plan of ${request.suite}`,
        message: count === 0 ? 'no episode is planned.' : `more than ${MAX_CELLS} episodes are planned.`,
        value: `${request.tasks.length} tasks x ${request.initStates.length} initial states x ${request.repeats} repeats`,
        fix: 'Check the inputs tasks, init-states and repeats.',
      }),
    );
  }
  if (repeated(request.tasks.map((task) => task.taskId)) || repeated(request.initStates)) {
    problems.push(
      problemOf('RB331', {
        where: `plan of ${request.suite}`,
        message: 'a task id or an initial state is named twice.',
        fix: 'Name each once; use the input repeats to run an initial state several times.',
      }),
    );
  }
  const { maxSteps, maxPolicyCalls } = request.limits;
  if (maxSteps !== null && maxPolicyCalls !== null && maxPolicyCalls < maxSteps) {
    problems.push(
      problemOf('RB332', {
        where: 'input max-policy-calls',
        message: 'fewer policy calls than simulator steps: episodes would end early as MAX_STEPS_EXCEEDED.',
        value: `${maxPolicyCalls} calls for ${maxSteps} steps`,
        fix: 'Leave max-policy-calls out, or set it to at least max-steps.',
      }),
    );
  }
  const cells =
    request.only === undefined ? count : request.only.length * request.repeats * request.arms.length;
  problems.push(...sessionCapProblems(request.suite, cells, request.caps));
  return problems;
}

function repeated(ids: readonly number[]): boolean {
  return new Set(ids).size !== ids.length;
}

/** sha256 (64 hex digits) of the plan's canonical JSON; it identifies what was measured, on whatever host. */
export function planDigest(plan: Plan): string {
  return canonicalDigest(plan);
}

interface OrderRequest {
  readonly taskIds: readonly number[];
  readonly initStates: readonly number[];
  readonly repeats: number;
  readonly arms: readonly Arm[];
  readonly seed: number;
}

interface Episode {
  readonly initStateId: number;
  readonly runIndex: number;
}

/**
 * All cells of a plan in the order in which they are to run.
 *
 * Rounds: each round holds one episode of every task, tasks in a fresh random order, so that whatever part of the
 * plan has run, no two tasks differ by more than one episode. Inside a task every initial state comes once before any
 * comes a second time. The arms of one episode stand next to each other; with two arms half of the pairs (rounded
 * down) start with the second arm, at random places (counterbalanced).
 */
export function orderCells(request: OrderRequest): Cell[] {
  const random = seededRandom(request.seed);
  const queues = new Map(request.taskIds.map((taskId) => [taskId, episodesOf(request, random)]));
  const rounds = request.initStates.length * request.repeats;
  const pairs: { taskId: number; episode: Episode }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const taskId of shuffled(request.taskIds, random)) {
      const episode = queues.get(taskId)?.[round];
      if (episode !== undefined) pairs.push({ taskId, episode });
    }
  }
  const swaps = shuffled(
    pairs.map((_, index) => index % 2 === 1),
    random,
  );
  return pairs.flatMap(({ taskId, episode }, index) => {
    const arms = swaps[index] === true ? [...request.arms].reverse() : request.arms;
    return arms.map((arm) => ({ taskId, ...episode, arm }));
  });
}

function episodesOf(request: OrderRequest, random: Random): Episode[] {
  return Array.from({ length: request.repeats }, (_, runIndex) =>
    shuffled(request.initStates, random).map((initStateId) => ({ initStateId, runIndex })),
  ).flat();
}
