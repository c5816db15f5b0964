import * as z from 'zod';
import type { Classified } from '../../outcome/classified.ts';

/** The owner mark of sessions that a benchmark of ours queued (plan/ids.ts). */
const OUR_GOAL = 'rollout-bench:';

type Scalar = string | number | boolean;

/** What the `benchmark` block of an entry says (July dialect). Null is what it does not say. */
export interface BenchmarkBlock {
  /** In lower case: both spellings are in use. */
  readonly benchmark: string | null;
  readonly suite: string | null;
  readonly taskId: number | null;
  readonly initStateId: number | null;
  readonly runId: string | null;
  /** The session is a job of many episodes, which the target ran itself. */
  readonly targetNative: boolean;
}

/** A finished session that others queued. Nothing was planned. Null is what its entry does not say. */
export interface FinishedSession {
  readonly sessionId: string;
  /** Id of its target, without scheme. */
  readonly target: string;
  readonly skillruntime: string;
  readonly prompt: string;
  readonly goal: string | null;
  /** When the entry moved last: a finished one ended then. */
  readonly endedAt: string | null;
  readonly policyEndpoint: string | null;
  /** Only where the session itself overrides its target's. */
  readonly targetEndpoint: string | null;
  /** Name of the policy, which the typed dialect records. */
  readonly policyId: string | null;
  /** Null where the entry has none. */
  readonly block: BenchmarkBlock | null;
  /** The session that this one tries again for a verifier; null for a first attempt. */
  readonly replanOf: string | null;
  /** `execution.…` as it stands: how policy and simulator were driven. */
  readonly execution: Readonly<Record<string, Scalar>>;
  /** A verifier may change what counts as success, or try again. */
  readonly verification: string | null;
  /** `safety_profile.…` as it stands: the target is given it. Null when the entry has none. */
  readonly safety: string | null;
  /** `timeouts.…` of the entry, in seconds. */
  readonly sessionTimeoutS: number | null;
  readonly policyTimeoutS: number | null;
  readonly found: Classified;
}

const text = z.string().min(1).nullish().catch(null);
const positive = z.number().positive().nullish().catch(null);
const index = z.int().min(0).nullish().catch(null);
const anyMap = z.record(z.string(), z.unknown()).nullish().catch(null);

/** What grouping needs of an entry; the rest was judged already. */
const entrySchema = z.object({
  goal_id: text,
  target_ref: z.string().catch('unknown'),
  skillruntime_ref: z.string().catch('unknown'),
  task_description: z.string().catch(''),
  routing: z.object({ policy_endpoint: text, target_endpoint: text }).nullish().catch(null),
  execution: anyMap,
  verification: z.object({ mode: z.unknown() }).nullish().catch(null),
  verification_profile: text,
  safety_profile: anyMap,
  parent_session_id: text,
  replan_attempt: z.number().nullish().catch(null),
  benchmark: z
    .object({
      benchmark_id: text,
      suite_id: text,
      task_index: index,
      instance_id: index,
      policy_id: text,
      run_id: text,
      execution_mode: text,
    })
    .nullish()
    .catch(null),
  timeouts: z.object({ execute_timeout_s: positive, policy_timeout_s: positive }).nullish().catch(null),
});
type Entry = z.infer<typeof entrySchema>;

/** Pure. An entry that is no map gives a session of unknown target. */
export function finishedSession(
  sessionId: string,
  body: unknown,
  { endedAt, found }: Pick<FinishedSession, 'endedAt' | 'found'>,
): FinishedSession {
  const entry = entrySchema.safeParse(body).data;
  return {
    sessionId,
    target: (entry?.target_ref ?? 'unknown').replace(/^target:\/\//, ''),
    skillruntime: (entry?.skillruntime_ref ?? 'unknown').replace(/^skillruntime:\/\//, ''),
    prompt: entry?.task_description ?? '',
    goal: entry?.goal_id ?? null,
    endedAt,
    policyEndpoint: entry?.routing?.policy_endpoint ?? null,
    targetEndpoint: entry?.routing?.target_endpoint ?? null,
    policyId: entry?.benchmark?.policy_id ?? null,
    block: entry?.benchmark == null ? null : blockOf(entry.benchmark),
    replanOf: (entry?.replan_attempt ?? 0) > 0 ? (entry?.parent_session_id ?? null) : null,
    execution: scalarsOf(entry?.execution ?? {}),
    verification: verificationOf(entry),
    safety: entry?.safety_profile == null ? null : JSON.stringify(scalarsOf(entry.safety_profile)),
    sessionTimeoutS: entry?.timeouts?.execute_timeout_s ?? null,
    policyTimeoutS: entry?.timeouts?.policy_timeout_s ?? null,
    found,
  };
}

function blockOf(block: NonNullable<Entry['benchmark']>): BenchmarkBlock {
  return {
    benchmark: block.benchmark_id?.toLowerCase() ?? null,
    suite: block.suite_id ?? null,
    taskId: block.task_index ?? null,
    initStateId: block.instance_id ?? null,
    runId: block.run_id ?? null,
    targetNative: block.execution_mode === 'target_native',
  };
}

/**
 * The verifier's mode of an entry that a verifier may have had a word in; null where nobody but the simulator had one. Pure.
 */
export function verifierOf(body: unknown): string | null {
  const mode = verificationOf(entrySchema.safeParse(body).data);
  return mode === null || mode === 'off' || mode === 'strict' ? null : mode;
}

function scalarsOf(map: Readonly<Record<string, unknown>>): Record<string, Scalar> {
  const known = Object.entries(map).flatMap(([key, value]): [string, Scalar][] => {
    if (typeof value === 'bigint') return [[key, String(value)]];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[key, value]]
      : [];
  });
  return Object.fromEntries(known.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function verificationOf(entry: Entry | undefined): string | null {
  const mode = entry?.verification?.mode;
  // Unquoted, YAML 1.1 reads off as false.
  if (mode === false) return 'off';
  return typeof mode === 'string' ? mode : (entry?.verification_profile ?? null);
}

/** True for entries that a run of ours made; `collect` is for those of others. */
export function isOurs(body: unknown): boolean {
  return entrySchema.safeParse(body).data?.goal_id?.startsWith(OUR_GOAL) === true;
}
