import * as z from 'zod';
import { bool, float, freeMap, integer, moment, optional, text } from './loose-values.ts';

/** The parts of a session entry that say what came out: result, execution record, verification. */

export const trimmed = text.transform((value) => value.trim());

export const verification = z
  .strictObject({
    mode: z.enum(['off', 'audit', 'enforce', 'recovery']).default('off'),
    goal: trimmed.default(''),
    success_criteria: z.array(trimmed.pipe(z.string().min(1))).default(() => []),
    constraints: z.array(trimmed.pipe(z.string().min(1))).default(() => []),
    evidence_policy: z
      .strictObject({
        profile: text.default('semantic_default'),
        required_kinds: z.array(text).default(() => ['rgb_image']),
        required_sources: z.array(text).default(() => []),
        minimum_association: z.enum(['best_effort', 'authoritative']).default('best_effort'),
      })
      .prefault({}),
    contract_origin: z.enum(['explicit', 'legacy']).default('explicit'),
  })
  .refine(
    (contract) => contract.mode === 'off' || (contract.goal !== '' && contract.success_criteria.length > 0),
    {
      message: 'verification goal is required when mode is not off',
    },
  );

const executionRecord = z.strictObject({
  version: z.literal('runtime_execution_record_v1').default('runtime_execution_record_v1'),
  runtime: text,
  session_id: text,
  command_id: text,
  gateway_api_version: optional(text),
  gateway_instance_id: optional(text),
  action_type: optional(text),
  policy_id: optional(text),
  status: z
    .enum(['queued', 'sent', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'unknown'])
    .default('unknown'),
  result_semantics: text.default('command_completed'),
  completion: freeMap.default(() => ({})),
  timeline: z
    .strictObject({
      created_at: optional(float),
      updated_at: optional(float),
      sent_at: optional(float),
      terminal_observed_at: optional(moment),
    })
    .prefault({}),
  outputs: freeMap.default(() => ({})),
  error: optional(z.strictObject({ code: optional(text), message: text.default('') })),
});
export type ExecutionRecord = z.output<typeof executionRecord>;

const verificationState = z.looseObject({
  status: z.enum(['not_requested', 'pending', 'running', 'completed', 'error']).default('not_requested'),
  verdict: optional(freeMap),
  attempts: z.array(freeMap).default(() => []),
  bundle_ref: optional(text),
  error: optional(text),
});

export const juneResult = z.object({
  status: optional(text),
  success: optional(bool),
  num_steps: optional(integer),
  return_value: optional(float),
  mean_policy_latency_ms: optional(float),
  artifact_dir: optional(text),
  error_code: optional(text),
  error_message: optional(text),
  trace_path: optional(text),
  metadata: freeMap.default(() => ({})),
});
const { metadata: resultMetadata, ...resultHead } = juneResult.shape;
export const augustResult = z.object({
  ...resultHead,
  execution: optional(executionRecord),
  verification: verificationState.prefault({}),
  metadata: resultMetadata,
});

export type SessionResult = z.output<typeof juneResult> &
  Partial<Pick<z.output<typeof augustResult>, 'execution' | 'verification'>>;
