import * as z from 'zod';
import type { ImportedEpisode, ImportFault } from '../../importer/importer.ts';

/** An episode of a sweep, or an attempt of the July runtime. */
export const row = z.looseObject({
  suite: z.string().max(500).nullish(),
  task_id: z.int().min(0),
  init_state_id: z.int().min(0),
  success: z.boolean().nullish(),
  status: z.string().max(100).nullish(),
  num_steps: z.number().nullish(),
  return_value: z.number().nullish(),
  mean_policy_latency_ms: z.number().nullish(),
  error_code: z.string().max(200).nullish(),
  error_message: z.string().nullish(),
  task_description: z.string().max(4_000).nullish(),
  attempt_index: z.int().min(0).nullish(),
  /** Of a whole episode, where a verifier may have had it tried again. */
  first_attempt_success: z.boolean().nullish(),
});
type Row = z.infer<typeof row>;

const TIMEOUTS: ReadonlySet<string> = new Set(['EXECUTION_TIMEOUT', 'SESSION_TIMEOUT']);
/** The policy used all its calls: the simulator's own success decides. */
const JUDGED: ReadonlySet<string> = new Set(['MAX_STEPS_EXCEEDED']);

/** One row as an episode; what ended in an error is none that failed. */
export function rowEpisode(
  each: Row,
  suite: string | null,
  at: string,
  faults: ImportFault[],
): ImportedEpisode {
  const code = each.error_code ?? null;
  const isError = (code !== null && !JUDGED.has(code)) || each.status === 'error';
  if (!isError && each.success == null) faults.push({ at, message: 'it says neither success nor an error' });
  const outcome = isError
    ? code !== null && TIMEOUTS.has(code)
      ? 'timed_out'
      : 'error'
    : each.success === true
      ? 'success'
      : 'failure';
  return {
    suite: each.suite ?? suite,
    task: { id: each.task_id, name: String(each.task_id) },
    language: each.task_description ?? '',
    place: each.init_state_id,
    outcome,
    steps: each.num_steps ?? null,
    episodeReturn: each.return_value ?? null,
    policyLatencyMs: each.mean_policy_latency_ms ?? null,
    durationMs: null,
    errorCode: code,
    errorMessage: each.error_message ?? null,
    at,
  };
}
