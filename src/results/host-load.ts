import * as z from 'zod';

const known = z.number().min(0).nullable();

/** How busy the host was at one moment; null is unknown. */
const loadSampleSchema = z.object({
  /** UTC, ISO 8601. */
  at: z.string(),
  /** Mean number of tasks that ran or waited for a CPU during the minute before. */
  load1: known,
  /** CPU time since the sample before that a hypervisor gave to other machines, percent of all. */
  stealPercent: known,
  /** Compute processes on the GPU that has most of them. */
  gpuProcesses: known,
  /** Sessions of others in SESSIONS.md that waited or ran. */
  othersSessions: known,
});
export type LoadSample = z.infer<typeof loadSampleSchema>;

const spread = z.object({ mean: z.number().min(0), max: z.number().min(0) }).nullable();

/** `host.load` of run.json: how busy the host was while an attempt measured. */
export const hostLoadSchema = z.object({
  /** CPUs of the machine, which the load is a load on. */
  cpus: z.int().positive(),
  /** Samples that were taken, first and last included; the counts below are of them. */
  looks: z.int().positive(),
  load1: spread,
  /** Samples with more tasks than CPUs. */
  overloaded: z.int().min(0),
  stealPercent: spread,
  /** Samples with more steal than a quiet machine has (`MUCH_STEAL_PERCENT`). */
  stolen: z.int().min(0),
  gpuProcesses: known,
  othersSessions: known,
  /** The first, the last, and some in between at even distances. */
  samples: z.array(loadSampleSchema),
});
export type HostLoad = z.infer<typeof hostLoadSchema>;

/** Below this, steal is the price of any virtual machine. */
const MUCH_STEAL_PERCENT = 5;

/** What a whole run's samples came to. Pure; `samples` has at least one, `kept` is the part of them that is written down. */
export function hostLoadOf(
  cpus: number,
  samples: readonly LoadSample[],
  kept: readonly LoadSample[],
): HostLoad {
  const steal = samples.map(({ stealPercent }) => stealPercent);
  const load = samples.map(({ load1 }) => load1);
  return {
    cpus,
    looks: samples.length,
    load1: spreadOf(load, 2),
    overloaded: load.filter((each) => each !== null && each > cpus).length,
    stealPercent: spreadOf(steal, 1),
    stolen: steal.filter((each) => each !== null && each > MUCH_STEAL_PERCENT).length,
    gpuProcesses: greatest(samples.map(({ gpuProcesses }) => gpuProcesses)),
    othersSessions: greatest(samples.map(({ othersSessions }) => othersSessions)),
    samples: [...kept],
  };
}

function spreadOf(values: readonly (number | null)[], digits: number): HostLoad['load1'] {
  const told = values.filter((value) => value !== null);
  const max = greatest(told);
  if (max === null) return null;
  const mean = told.reduce((sum, value) => sum + value, 0) / told.length;
  return { mean: Number(mean.toFixed(digits)), max: Number(max.toFixed(digits)) };
}

function greatest(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (most, value) => (value !== null && (most === null || value > most) ? value : most),
    null,
  );
}
