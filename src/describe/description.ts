import * as z from 'zod';
import { MAX_DEPTH } from '../base/plain-message.ts';
import { WhyNot } from '../base/why-not.ts';
import { type DescribedProtocol, describedProtocol } from './described-protocol.ts';

/** A task as the target lists it; ids may have gaps, because a task that fails to load is left out. */
interface DescribedTask {
  readonly taskId: number;
  readonly name: string | null;
  /** Folder and file that define it, as far as the target tells them; null when it tells no file. */
  readonly file: string | null;
  /** Exactly as the simulator has it; null when the target gives none. */
  readonly language: string | null;
}

/** What a target says about itself: the suite it was configured for last, not the one TARGETS.md names. */
export interface TargetDescription {
  readonly runtime: string | null;
  /** null: the target names no suite. */
  readonly suite: string | null;
  readonly tasks: readonly DescribedTask[];
  readonly actionDim: number | null;
  readonly maxChunkSize: number | null;
  /** Simulator steps of an episode, and initial states of each task; absent when the target does not tell. */
  readonly maxSteps?: number;
  readonly initStates?: number;
  /** It is building its simulator, and may not know its tasks yet; absent when it is not. */
  readonly busy?: true;
  /** What else can change a result, by the names of the protocol fingerprint. */
  readonly protocol: DescribedProtocol;
}

/** No suite is known with more than 130 tasks. */
const MAX_TASKS = 10_000;
const MAX_LANGUAGE = 4000;

const integer = z.union([z.int(), z.bigint()]).transform((value, context) => {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  context.addIssue({ code: 'custom', message: 'integer beyond 2^53' });
  return z.NEVER;
});
const text = z.string().max(MAX_LANGUAGE);

/** A count that a target may tell; anything else is not told. */
const counted = z.union([z.int(), z.bigint()]).transform(Number).pipe(z.int().min(1)).nullish().catch(null);

const taskSchema = z.object({
  task_id: integer.pipe(z.int().min(0)),
  task_name: text.nullish(),
  language: text.nullish(),
  problem_folder: text.nullish(),
  bddl_file: text.nullish(),
});

/** The fields that a plan is made of; what else a target says of itself is part of the protocol. */
const payloadSchema = z.object({
  runtime: text.nullish(),
  benchmark_name: text.nullish(),
  task_list: z.array(taskSchema).max(MAX_TASKS).nullish(),
  max_steps: counted,
  init_states: counted,
  state: z.unknown().optional(),
  action_contract: z
    .object({
      shape: z.array(z.union([z.string(), integer])).nullish(),
      max_chunk_size: integer.nullish(),
    })
    .nullish(),
});

/**
 * The description in a decoded `target.describe` payload.
 * @returns the description, or which field is wrong.
 */
export function readDescription(payload: unknown): TargetDescription | WhyNot {
  const given = z.record(z.string(), z.unknown()).safeParse(payload);
  if (!given.success) return new WhyNot('payload: not a map');
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return new WhyNot(`${issue?.path.join('.') || 'payload'}: ${issue?.message ?? 'not understood'}`);
  }
  const { runtime, benchmark_name, task_list, action_contract, max_steps, init_states } = parsed.data;
  const tasks = (task_list ?? []).map((task) => ({
    taskId: task.task_id,
    name: task.task_name ?? null,
    file: task.bddl_file == null ? null : [task.problem_folder, task.bddl_file].filter(Boolean).join('/'),
    language: task.language ?? null,
  }));
  const twice = tasks.find(
    (task, index) => tasks.findIndex((other) => other.taskId === task.taskId) !== index,
  );
  if (twice !== undefined) return new WhyNot(`task_list: task ${twice.taskId} is listed twice`);
  const protocol = describedProtocol(given.data);
  if (protocol === null) return new WhyNot(`payload: nested deeper than ${MAX_DEPTH} levels`);
  const width = action_contract?.shape?.[1];
  return {
    runtime: runtime ?? null,
    suite: benchmark_name ?? null,
    tasks,
    actionDim: typeof width === 'number' && width > 0 ? width : null,
    maxChunkSize: positive(action_contract?.max_chunk_size),
    ...(max_steps == null ? {} : { maxSteps: max_steps }),
    ...(init_states == null ? {} : { initStates: init_states }),
    ...(parsed.data.state === 'busy' ? { busy: true } : {}),
    protocol,
  };
}

function positive(value: number | null | undefined): number | null {
  return value !== undefined && value !== null && value > 0 ? value : null;
}
