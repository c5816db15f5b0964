/** What is free of a machine's memory, in MiB; null where nothing tells. */
export interface FreeMemory {
  readonly ramMib: number | null;
  /** By GPU, in the order of the driver's tool. */
  readonly gpusMib: readonly number[] | null;
}

/** The second policy may need a little more than the first, and the simulator is not there yet. */
const SLACK = 1.2;
const RAM_RESERVE_MIB = 1024;
const GPU_RESERVE_MIB = 256;

/**
 * Does a second policy fit beside the first? It is taken to need as much as the first one took. What nobody can tell does
 * not stand in the way. Pure.
 * @returns null when it fits, or in words what is short.
 */
export function shortOf(before: FreeMemory, after: FreeMemory): string | null {
  const ram = shortage(before.ramMib, after.ramMib, RAM_RESERVE_MIB);
  if (ram !== null) return `memory: ${ram}`;
  for (const [index, free] of (after.gpusMib ?? []).entries()) {
    const gpu = shortage(before.gpusMib?.[index] ?? null, free, GPU_RESERVE_MIB);
    if (gpu !== null) return `memory of GPU ${index}: ${gpu}`;
  }
  return null;
}

function shortage(before: number | null, after: number | null, reserve: number): string | null {
  if (before === null || after === null) return null;
  const took = Math.max(0, before - after);
  // What one policy hardly touched is no reason.
  if (took < reserve / 4 || took * SLACK + reserve <= after) return null;
  return `one policy took ${Math.round(took)} MiB, ${Math.round(after)} MiB are left`;
}
