import * as z from 'zod';

const name = z.string().max(500);

const episode = z.looseObject({
  episode_id: z.int().min(0),
  metrics: z.record(name, z.unknown()).nullish(),
  steps: z.number().nullish(),
  elapsed_sec: z.number().nullish(),
  failure_reason: z.string().nullish(),
  failure_detail: z.string().nullish(),
  suite: name.nullish(),
  task_id: z.int().min(0).nullish(),
});
export type Episode = z.infer<typeof episode>;

/** A benchmark, a shard of one, or the aggregate of both, of every release so far. */
export const results = z.looseObject({
  benchmark: name,
  mode: name.nullish(),
  harness_version: name.nullish(),
  tasks: z
    .array(
      z.looseObject({
        task: name,
        episodes: z.array(episode).max(1_000_000),
        mean_success: z.number().nullish(),
      }),
    )
    .max(100_000),
  config: z
    .looseObject({
      episodes_per_task: z.int().min(1).max(1_000_000).nullish(),
      params: z.looseObject({ suite: name.nullish(), seed: z.int().nullish() }).nullish(),
    })
    .nullish(),
  seed: z.int().nullish(),
  metric_keys: z.record(name, z.unknown()).nullish(),
  mean_success: z.number().nullish(),
  partial: z.boolean().nullish(),
  shard: z.looseObject({ id: z.int().min(0), total: z.int().min(1) }).nullish(),
  server_info: z.looseObject({ model: name.nullish() }).nullish(),
});
export type Results = z.infer<typeof results>;
