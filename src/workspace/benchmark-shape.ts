import { choice, integer, listOf, mapping, maybe, optional, required, text } from './shape.ts';

/** `policy_loop`: one session is one episode. `target_native`: one session is a job of many, which the target runs itself. */
const EXECUTION_MODES = ['policy_loop', 'target_native'] as const;

const RESET_OWNERS = ['session_runner', 'skillruntime'] as const;
const INTERFACES = ['rollout_episode_v1', 'target_benchmark_job_v1'] as const;

/** One of `benchmark_capabilities` of a target, in the July dialect. */
export const targetCapability = mapping(
  {
    benchmark_id: required(text()),
    suites: optional(listOf(text()), () => []),
    execution_modes: required(
      listOf(
        mapping(
          {
            mode: required(choice(EXECUTION_MODES)),
            interface: required(choice(INTERFACES)),
            reset_owner: required(choice(RESET_OWNERS)),
          },
          'refuse',
        ),
      ),
    ),
  },
  'refuse',
);

/** `benchmark` of a skill runtime, in the July dialect. */
export const skillCapability = mapping(
  {
    benchmark_id: required(text()),
    execution_mode: required(choice(EXECUTION_MODES)),
    target_interface: required(choice(INTERFACES)),
    result_schema: optional(choice(['benchmark_execution_result_v1']), () => 'benchmark_execution_result_v1'),
    reset_owner: required(choice(RESET_OWNERS)),
  },
  'refuse',
);

/** What a session of July says of its episode, or of the job that it starts. */
export const benchmarkBlock = mapping(
  {
    benchmark_id: maybe(text()),
    suite_id: maybe(text()),
    task_name: maybe(text()),
    task_index: maybe(integer()),
    instance_id: maybe(integer()),
    policy_id: maybe(text()),
    run_id: maybe(text()),
    execution_mode: required(choice(EXECUTION_MODES)),
  },
  'refuse',
);
