import { readFileSync } from 'node:fs';
import * as os from 'node:os';

/** CPU time of the machine since it started, in ticks. */
interface CpuTicks {
  readonly all: number;
  /** Given to other machines by the hypervisor. */
  readonly stolen: number;
}

/** How busy the machine is now; null where the system does not tell. */
export interface LoadReading {
  readonly load1: number | null;
  readonly ticks: CpuTicks | null;
}

/** CPUs that the load average is about: those of the machine, whatever this process may use. */
export function machineCpus(): number {
  return os.cpus().length || os.availableParallelism();
}

/** Two small reads of what the kernel has in memory: tens of microseconds, whatever the host is at. */
export function readLoad(): LoadReading {
  return { load1: os.platform() === 'win32' ? null : (os.loadavg()[0] ?? null), ticks: readTicks() };
}

function readTicks(): CpuTicks | null {
  try {
    return ticksIn(readFileSync('/proc/stat', 'latin1'));
  } catch {
    return null;
  }
}

/**
 * The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time. See
 * proc_stat(5). Pure; null for anything else.
 */
export function ticksIn(text: string): CpuTicks | null {
  const fields = /^cpu +((?:\d+ *)+)$/m.exec(text)?.[1]?.trim().split(/ +/).slice(0, 8).map(Number) ?? [];
  const stolen = fields[7];
  return stolen === undefined ? null : { all: fields.reduce((sum, ticks) => sum + ticks, 0), stolen };
}

/** Percent of the CPU time between two readings that was stolen; null when one is unknown or no time passed. Pure. */
export function stealPercent(before: CpuTicks | null, after: CpuTicks | null): number | null {
  if (before === null || after === null || after.all <= before.all) return null;
  return (100 * Math.max(0, after.stolen - before.stolen)) / (after.all - before.all);
}
