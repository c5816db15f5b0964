import { isRecord } from '../base/guards.ts';
import type { Cell, Plan } from '../model/plan.ts';
import { benchmarkOf, suiteDefaults } from './suite-defaults.ts';

export type TargetConfig = Readonly<Record<string, unknown>>;

/** What `target.describe` says about actions, where it says anything. */
export interface ActionContract {
  readonly actionDim: number | null;
  readonly maxChunkSize: number | null;
}

/** Keys that a cell decides; the rest of a target's config is the same for all cells of a plan. */
const CELL_KEYS = new Set([
  'benchmark_name',
  'task_id',
  'init_state_id',
  'task_description',
  'max_steps',
  'num_steps_wait',
]);

const LIBERO_ACTION_DIM = 7;
/** Upstream's own LIBERO scripts set 50 and the server's describe reports it. */
const LIBERO_MAX_CHUNK_SIZE = 50;

/**
 * The part of a target's config that can change a score, as the plan records it: everything but the cell's own keys
 * and what belongs to a host (recording, endpoints, absolute paths), with the chunk limit written where the runtime
 * looks for it (`action.max_chunk_size`).
 * @param base the user's target config, untouched.
 * @param contract what the target describes, null when it was not asked.
 */
export function scoreConfig(
  base: TargetConfig,
  suite: string,
  contract: ActionContract | null,
): Record<string, unknown> {
  const kept = Object.fromEntries(
    Object.entries(base).filter(([key, value]) => !CELL_KEYS.has(key) && !isHostKey(key, value)),
  );
  return { ...kept, ...actionKeys(base, suite, contract) };
}

function isHostKey(key: string, value: unknown): boolean {
  return key.startsWith('record_') || key.includes('endpoint') || namesHost(value);
}

/** An address or an absolute path, also inside a longer text or a nested value. */
function namesHost(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('://') || /(?:^|[\s"'=:([{,])\/[^\s/]/.test(value);
  if (Array.isArray(value)) return value.some(namesHost);
  return isRecord(value) && Object.values(value).some(namesHost);
}

/**
 * The runtime takes its chunk limit from action.max_chunk_size, else chunk_size, else action.chunk_size, else 4; the
 * LIBERO template sets only `max_chunk_size`, which the runtime does not read, and longer chunks then fail.
 */
function actionKeys(
  base: TargetConfig,
  suite: string,
  contract: ActionContract | null,
): Record<string, unknown> {
  const action = isRecord(base.action) ? base.action : {};
  const libero = benchmarkOf(suite) === 'libero';
  const dim = firstInt([
    action.action_dim,
    base.action_dim,
    contract?.actionDim,
    libero ? LIBERO_ACTION_DIM : null,
  ]);
  const chunk = firstInt([
    action.max_chunk_size,
    base.chunk_size,
    action.chunk_size,
    base.max_chunk_size,
    contract?.maxChunkSize,
    libero ? LIBERO_MAX_CHUNK_SIZE : null,
  ]);
  const dimKey = dim === null ? {} : { action_dim: dim };
  const chunkKey = chunk === null ? {} : { max_chunk_size: chunk };
  if (dim === null && chunk === null) return {};
  return { ...dimKey, ...chunkKey, action: { ...action, ...dimKey, ...chunkKey } };
}

function firstInt(candidates: readonly unknown[]): number | null {
  const found = candidates.find(
    (value): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0,
  );
  return found ?? null;
}

/**
 * The complete config of the target that runs one cell. Complete, because a key that is missing is inherited from
 * whatever session ran before on the same server.
 */
export function cellTargetConfig(base: TargetConfig, plan: Plan, cell: Cell): Record<string, unknown> {
  const steps = plan.limits.maxSteps === null ? {} : { max_steps: plan.limits.maxSteps };
  const settle = plan.limits.settleSteps === null ? {} : { num_steps_wait: plan.limits.settleSteps };
  const task = plan.tasks.find((candidate) => candidate.taskId === cell.taskId);
  // A description written for the user's own task must not travel to another one.
  const description =
    'task_description' in base && task !== undefined ? { task_description: task.language } : {};
  return {
    ...base,
    ...plan.targetConfig,
    benchmark_name: plan.suite,
    task_id: cell.taskId,
    init_state_id: cell.initStateId,
    ...description,
    ...steps,
    ...settle,
  };
}

/**
 * Step cap and settle steps of a plan. The cap: what the user asks, else the suite's published value, else the
 * target's own; settle steps: the target's own, else the suite's. null: neither is known.
 */
export function stepLimits(
  suite: string,
  base: TargetConfig,
  asked: { readonly maxSteps: number | null },
): { maxSteps: number | null; settleSteps: number | null } {
  const known = suiteDefaults(suite);
  const own = base.num_steps_wait;
  const settle = typeof own === 'number' && Number.isInteger(own) && own >= 0 ? own : null;
  return {
    maxSteps: asked.maxSteps ?? known?.maxSteps ?? firstInt([base.max_steps]),
    settleSteps: settle ?? known?.settleSteps ?? null,
  };
}
