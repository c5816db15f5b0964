import * as z from 'zod';
import type { Results } from '../../model/results.ts';
import { type HostLoad, hostLoadSchema } from '../../results/host-load.ts';
import { durationText } from '../text/format.ts';

/** What `nvidia-smi` told before the first episode; other keys are not needed here. */
const gpusSchema = z.array(z.looseObject({ name: z.string(), processes: z.array(z.string()) }));
/** Of a merged run each shard has facts of its own. */
const shardsSchema = z.array(z.looseObject({ gpus: z.unknown().optional(), load: z.unknown().optional() }));

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
  const gpus = gpusOf(run.host).filter(({ processes }) => processes.length > own);
  for (const { name, processes } of gpus)
    causes.push(`GPU shared (${processes.length} processes on ${name}, simulator and policies are ${own})`);
  for (const load of loadsOf(run.host)) {
    causes.push(...cpuCauses(load));
    if (gpus.length === 0 && load.gpuProcesses !== null && load.gpuProcesses > own)
      causes.push(`GPU shared (up to ${load.gpuProcesses} processes, simulator and policies are ${own})`);
  }
  if (causes.length === 0) return null;
  return `Durations contended; not a speed comparison: ${causes.join('; ')}.`;
}

/** One look in so many is enough to disturb an upper percentile. */
const SHARE_OF_LOOKS = 10;

/** The load counts whoever causes it: durations of a simulator that waits for a CPU are those of the host, not of the policy. */
function cpuCauses({ cpus, looks, load1, overloaded, stealPercent, stolen }: HostLoad): string[] {
  const causes: string[] = [];
  const often = (found: number): boolean => found > 0 && found * SHARE_OF_LOOKS >= looks;
  if (load1 !== null && often(overloaded))
    causes.push(
      `more tasks than CPUs in ${overloaded} of ${looks} looks (load up to ${load1.max} on ${cpus})`,
    );
  if (stealPercent !== null && often(stolen))
    causes.push(`other machines took CPU time in ${stolen} of ${looks} looks (up to ${stealPercent.max} %)`);
  return causes;
}

/** How busy the host was, in one line for each place that was measured at; empty when nobody looked. Pure. */
export function loadTexts({ run }: Results): string[] {
  return loadsOf(run.host).map(({ cpus, looks, load1, stealPercent, gpuProcesses, othersSessions }) => {
    const load = load1 === null ? 'load unknown' : `load ${load1.mean} on average, ${load1.max} at most`;
    return [
      `${load}, on ${cpus} CPUs`,
      stealPercent === null ? 'steal unknown' : `steal ${stealPercent.max} % at most`,
      ...(gpuProcesses === null ? [] : [`${gpuProcesses} processes on a GPU at most`]),
      ...(othersSessions === null ? [] : [`${othersSessions} sessions of others at most`]),
      `${looks} looks`,
    ].join('; ');
  });
}

function loadsOf(host: Readonly<Record<string, unknown>>): HostLoad[] {
  return placesOf(host).flatMap(({ load }) => hostLoadSchema.safeParse(load).data ?? []);
}

function placesOf(host: Readonly<Record<string, unknown>>): z.infer<typeof shardsSchema> {
  const shards = shardsSchema.safeParse(host['shards']);
  return shards.success ? shards.data : [{ gpus: host['gpus'], load: host['load'] }];
}

function gpusOf(host: Readonly<Record<string, unknown>>): z.infer<typeof gpusSchema> {
  return placesOf(host).flatMap(({ gpus }) => gpusSchema.safeParse(gpus).data ?? []);
}
