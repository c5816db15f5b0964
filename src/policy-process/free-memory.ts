import { readFileSync } from 'node:fs';
import { gpuFacts } from '../platform/host-facts.ts';
import type { FreeMemory } from './fitting.ts';

/** What is free on this machine now, as the kernel and the GPU driver's tool tell it. */
export async function freeMemory(): Promise<FreeMemory> {
  const gpus = await gpuFacts();
  const free = (gpus ?? []).map(({ memoryFreeMib }) => memoryFreeMib);
  return { ramMib: availableMib(), gpusMib: free.length > 0 && free.every(isKnown) ? free : null };
}

function isKnown(value: number | null): value is number {
  return value !== null;
}

/** MemAvailable of /proc/meminfo: what a new program can have without swapping; see proc_meminfo(5). */
function availableMib(): number | null {
  try {
    const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}
