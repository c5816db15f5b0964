import * as z from 'zod';

const text = z.string();

/** Rows of the tables that are read, as vla-eval writes them since 0.3. */
export const storeRows = z.object({
  eval_metadata: z.array(z.object({ eval_id: text, safe_name: text, metadata: text })),
  episode_results: z.array(
    z.object({
      sid: text,
      eid: text,
      eval_id: text,
      task_name: text.nullable(),
      episode_id: z.int().min(0).nullable(),
      status: text.nullable(),
      metrics: text.nullable(),
      steps: z.number().nullable(),
      elapsed_sec: z.number().nullable(),
      context: text.nullable(),
      failure_reason: text.nullable(),
      failure_detail: text.nullable(),
    }),
  ),
  eval_shards: z.array(
    z.object({
      eval_id: text,
      shard_id: z.int().min(0),
      num_shards: z.int().min(1),
      complete: z.int(),
    }),
  ),
});
export type StoreRows = z.infer<typeof storeRows>;
export type EpisodeRow = StoreRows['episode_results'][number];
