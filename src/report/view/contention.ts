import * as z from 'zod';
import type { Results } from '../../model/results.ts';
import { durationText } from '../text/format.ts';

/** What `nvidia-smi` told before the first episode; other keys are not needed here. */
const gpusSchema = z.array(z.looseObject({ name: z.string(), processes: z.array(z.string()) }));
/** Of a merged run each shard has facts of its own. */
const shardsSchema = z.array(z.looseObject({ gpus: z.unknown() }));

/**
 * What disturbed the durations and latencies of a run, as one sentence that says so; null when nothing is known to have.
 * Rates are not touched by it. Pure.
 */
export function contentionOf({ run, time, arms }: Results): string | null {
  const causes: string[] = [];
  if (time.foreignMs !== null && time.foreignMs > 0)
    causes.push(`sessions of others ran for ${durationText(time.foreignMs)} meanwhile`);
  // The simulator and each policy may use it; whatever is there beyond them belongs to somebody else.
  const own = 1 + arms.length;
  for (const { name, processes } of gpusOf(run.host)) {
    if (processes.length > own)
      causes.push(`GPU shared (${processes.length} processes on ${name}, simulator and policies are ${own})`);
  }
  if (causes.length === 0) return null;
  return `Durations contended; not a speed comparison: ${causes.join('; ')}.`;
}

function gpusOf(host: Readonly<Record<string, unknown>>): z.infer<typeof gpusSchema> {
  const shards = shardsSchema.safeParse(host['shards']);
  const places = shards.success ? shards.data : [{ gpus: host['gpus'] }];
  return places.flatMap(({ gpus }) => gpusSchema.safeParse(gpus).data ?? []);
}
