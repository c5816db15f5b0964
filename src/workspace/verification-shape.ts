import {
  absent,
  anyMapping,
  choice,
  float,
  listOf,
  mapping,
  maybe,
  optional,
  refined,
  required,
  text,
  time,
} from './shape.ts';

/** Facts of an execution, as the August runtime writes them. */
export const executionRecord = mapping(
  {
    version: optional(choice(['runtime_execution_record_v1']), () => 'runtime_execution_record_v1'),
    runtime: required(text()),
    session_id: required(text()),
    command_id: required(text()),
    gateway_api_version: maybe(text()),
    gateway_instance_id: maybe(text()),
    action_type: maybe(text()),
    policy_id: maybe(text()),
    status: optional(
      choice(['queued', 'sent', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'unknown']),
      () => 'unknown',
    ),
    result_semantics: optional(text(), () => 'command_completed'),
    completion: optional(anyMapping(), () => ({})),
    timeline: optional(
      mapping(
        {
          created_at: maybe(float()),
          updated_at: maybe(float()),
          sent_at: maybe(float()),
          terminal_observed_at: maybe(time()),
        },
        'refuse',
      ),
      () => ({ created_at: null, updated_at: null, sent_at: null, terminal_observed_at: null }),
    ),
    outputs: optional(anyMapping(), () => ({})),
    error: maybe(mapping({ code: maybe(text()), message: optional(text(), () => '') }, 'refuse')),
  },
  'refuse',
);

/** The verifier's own verdict is not looked into: it never decides whether a benchmark may run. */
export const verificationState = mapping(
  {
    status: optional(
      choice(['not_requested', 'pending', 'running', 'completed', 'error']),
      () => 'not_requested',
    ),
    verdict: maybe(anyMapping()),
    attempts: optional(listOf(anyMapping()), () => []),
    bundle_ref: maybe(text()),
    error: maybe(text()),
  },
  'keep',
);

const evidencePolicy = mapping(
  {
    profile: optional(text(), () => 'semantic_default'),
    required_kinds: optional(listOf(text()), () => ['rgb_image']),
    required_sources: optional(listOf(text()), () => []),
    minimum_association: optional(choice(['best_effort', 'authoritative']), () => 'best_effort'),
  },
  'refuse',
);

export const verificationContract = refined(
  mapping(
    {
      mode: optional(choice(['off', 'audit', 'enforce', 'recovery']), () => 'off'),
      goal: optional(text(), () => ''),
      success_criteria: optional(listOf(text()), () => []),
      constraints: optional(listOf(text()), () => []),
      evidence_policy: absent(evidencePolicy),
      contract_origin: optional(choice(['explicit', 'legacy']), () => 'explicit'),
    },
    'refuse',
  ),
  (contract) => {
    const blank = [...contract.success_criteria, ...contract.constraints].some((each) => each.trim() === '');
    if (blank)
      return { code: 'RB211', statement: 'success_criteria and constraints must not hold blank text' };
    if (contract.mode === 'off' || (contract.goal.trim() !== '' && contract.success_criteria.length > 0))
      return null;
    return {
      code: 'RB211',
      statement: `mode "${contract.mode}" needs a goal and at least one of success_criteria`,
    };
  },
);
