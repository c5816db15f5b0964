/** The documents that the runtime leaves for a session, in its own layout and of their usual size. */
import type { Outcome } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';

/** What happens to a cell in a synthetic run: mostly successes, some failures, late timeouts and lost connections. */
export function fateOf(position: number): Outcome {
  if (position % 10 === 3) return 'failure';
  if (position % 25 === 7) return 'error';
  return position % 40 === 11 ? 'timed_out' : 'success';
}

export interface SyntheticSession {
  readonly session: string;
  readonly log: string | null;
  readonly episode: string | null;
}

/** The session of the cell at a position of the plan. */
export function syntheticSession(
  plan: Plan,
  position: number,
  sessionId: string,
  fate = fateOf(position),
): SyntheticSession {
  const updated = `2026-11-29T13:${String(position % 60).padStart(2, '0')}:01.000000Z`;
  const place = { plan, position, sessionId, updated };
  if (fate === 'error') return unconnectedSession(place);
  if (fate === 'timed_out') return lateSession(place);
  return finishedSession(place, fate === 'success');
}

interface Place {
  readonly plan: Plan;
  readonly position: number;
  readonly sessionId: string;
  readonly updated: string;
}

/** The policy was never reached: nothing ran, so there is neither log nor episode. */
function unconnectedSession(place: Place): SyntheticSession {
  const message =
    'failed to connect to policy server ws://10.1.2.4:8000: see /srv/phyagentos/logs/policy.log';
  const result = failedResult('POLICY_CONNECTION', message);
  return { session: sessionText(place, 'failed', result), log: null, episode: null };
}

/** The time of the episode was over, and the runtime then failed to write down why. */
function lateSession(place: Place): SyntheticSession {
  const { sessionId, updated } = place;
  const end = { status: 'timed_out', success: false };
  const code = { error_code: 'EXECUTION_TIMEOUT' };
  const log = { session_id: sessionId, target_id: 't', ...end, updated_at: updated, ...code };
  const episode = { session_id: sessionId, ...end, benchmark: null, ...code };
  const result = failedResult('RUNTIME_ERROR', "Unable to serialize unknown type: <class 'numpy.ndarray'>");
  return {
    session: sessionText(place, 'failed', result),
    log: dumpYaml({ [sessionId]: log }),
    episode: JSON.stringify(episode, null, 2),
  };
}

const failedResult = (error_code: string, error_message: string): object => ({
  status: 'failed',
  success: false,
  error_code,
  error_message,
  metadata: {},
});

function sessionText({ plan, position, sessionId, updated }: Place, status: string, result: object): string {
  const cell = plan.cells[position];
  const entry = {
    session_id: sessionId,
    goal_id: 'rollout-bench:r1',
    target_ref: 'target://t',
    skillruntime_ref: `skillruntime://${plan.skillruntime}`,
    task_description: `pick up bowl ${cell?.taskId ?? 0}`,
    status,
    priority: 'low',
    claimed_by: 'runtime-watchdog@gpu-box-7',
    claim_token: '0123456789abcdef0123456789abcdef',
    updated_at: updated,
    timeouts: { queue_timeout_s: 30, preflight_timeout_s: 20, execute_timeout_s: 1800, policy_timeout_s: 30 },
    retry: { max_retries: 0, attempted: 0 },
    routing: { policy_endpoint: 'openpi://10.1.2.4:8000', adapter_resolution: 'strict_auto' },
    execution: { max_steps: 220, replan_every_steps: 5, action_chunk_mode: 'chunk_buffer' },
    result,
  };
  return dumpYaml([entry]);
}

/** An episode that ran to its end: all its documents tell of the same steps. */
function finishedSession(place: Place, success: boolean): SyntheticSession {
  const { position, sessionId, updated } = place;
  const steps = success ? 60 + (position % 90) : 220;
  const status = success ? 'succeeded' : 'failed';
  const counts = { num_steps: steps, return_value: success ? 1 : 0 };
  const latency = { mean_policy_latency_ms: 41.5 };
  const benchmark = benchmarkSummary(place, steps, success);
  const metadata = finalMetadata(benchmark, steps, success);
  const artifact_dir = `artifacts/runtime/${sessionId}`;
  const result = { status, success, ...counts, ...latency, artifact_dir, metadata };
  const head = { session_id: sessionId, target_id: 't' };
  const log = { ...head, status, success, ...counts, ...latency, updated_at: updated };
  const episode = {
    ...head,
    benchmark,
    success,
    status,
    ...counts,
    policy_latency_ms: { mean: 41.5 },
    error_code: null,
    error_message: null,
    metadata,
  };
  return {
    session: sessionText(place, status, result),
    log: dumpYaml({ [sessionId]: log }),
    episode: JSON.stringify(episode, null, 2),
  };
}

function benchmarkSummary({ plan, position }: Place, steps: number, success: boolean): object {
  const cell = plan.cells[position];
  return {
    benchmark_name: plan.suite,
    task_id: cell?.taskId ?? 0,
    init_state_id: cell?.initStateId ?? 0,
    task_description: `pick up bowl ${cell?.taskId ?? 0}`,
    target_step_index: steps,
    success,
    done: true,
    total_reward: success ? 1 : 0,
    num_action_chunks: Math.ceil(steps / 10),
    chunks: Array.from({ length: 10 }, (_, at) => ({
      chunk_id: 'policy_chunk_0',
      first_step: at * 10 + 1,
      executed_steps: 10,
      requested_steps: 10,
      reward: 0,
      success: false,
      done: false,
      action_shape: [10, 7],
    })),
  };
}

function finalMetadata(benchmark: object, steps: number, success: boolean): object {
  const final = {
    chunk_id: 'policy_chunk_0',
    executed_steps: steps,
    target_step_index: steps,
    success,
    done: true,
    episode_summary: benchmark,
  };
  return {
    done: true,
    mean_policy_latency_ms: 41.5,
    return_value: success ? 1 : 0,
    final_status: final,
  };
}
