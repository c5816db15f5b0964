import * as z from 'zod';

/**
 * The parts of the runtime's documents that decide an outcome. The runtime's schema is not ours and differs between
 * its versions, so every field is optional and a value of another type counts as absent: unknown stays null, never 0.
 */
const text = z
  .string()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

const flag = z
  .boolean()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

/** Numbers may arrive as bigint (YAML integers above 2^53), and ids as digits in text (`task_id: "4"` is accepted there). */
const number = z
  .unknown()
  .optional()
  .transform((value): number | null => {
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  });

const id = z
  .unknown()
  .optional()
  .transform((value): number | null => {
    if (typeof value === 'bigint') return Number(value);
    if (typeof value === 'number' && Number.isInteger(value)) return value;
    return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
  });

/** YAML timestamps come as text or as a wrapper object that keeps the text. */
const timestamp = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (typeof value === 'string') return value;
    const kept = z.object({ text: z.string() }).safeParse(value);
    return kept.success ? kept.data.text : null;
  });

const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);

/** The simulator's own account of one episode (episode.json `benchmark`, or `final_status.episode_summary`). */
const summarySchema = z.object({
  benchmark_name: text,
  task_id: id,
  init_state_id: id,
  task_description: text,
  success: flag,
  done: flag,
  target_step_index: number,
  total_reward: number,
  num_action_chunks: number,
  /** Present in results of target-native jobs, which cover many episodes and are never one episode's evidence. */
  total_episodes: number,
  suite_id: text,
});
export type EpisodeSummary = z.infer<typeof summarySchema>;

const finalStatusSchema = z.object({
  success: flag,
  done: flag,
  target_step_index: number,
  libero: optional(summarySchema),
  episode_summary: optional(summarySchema),
});

const preflightSchema = z.object({ missing_items: optional(z.array(z.object({ code: text }))) });

const metadataSchema = z.object({
  return_value: number,
  mean_policy_latency_ms: number,
  final_status: optional(finalStatusSchema),
  preflight: optional(preflightSchema),
  benchmark_result: z.unknown().optional(),
  benchmark_summary: z.unknown().optional(),
});

export const sessionSchema = z.object({
  session_id: text,
  status: text,
  target_ref: text,
  skillruntime_ref: text,
  task_description: text,
  updated_at: timestamp,
  retry: optional(z.object({ attempted: number })),
  verification: optional(z.object({ mode: z.unknown().optional() })),
  result: optional(
    z.object({
      success: flag,
      num_steps: number,
      mean_policy_latency_ms: number,
      error_code: text,
      error_message: text,
      execution: optional(z.object({ status: text })),
      verification: optional(z.object({ status: text })),
      metadata: optional(metadataSchema),
    }),
  ),
});
export type SessionFacts = z.infer<typeof sessionSchema>;

export const logSchema = z.object({
  session_id: text,
  target_id: text,
  status: text,
  success: flag,
  num_steps: number,
  mean_policy_latency_ms: number,
  error_code: text,
  error_message: text,
  updated_at: timestamp,
});
export type LogFacts = z.infer<typeof logSchema>;

export const episodeSchema = z.object({
  session_id: text,
  target_id: text,
  status: text,
  success: flag,
  num_steps: number,
  error_code: text,
  error_message: text,
  policy_latency_ms: optional(z.object({ mean: number })),
  benchmark: optional(summarySchema),
  metadata: optional(metadataSchema),
});
export type EpisodeFacts = z.infer<typeof episodeSchema>;

/** Null when the document is absent or not a map; `readable` tells the two apart. */
export function factsOf<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> | null {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
