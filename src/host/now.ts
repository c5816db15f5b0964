/** Clock readings in the forms the runtime writes. The stand-in's own clock: never used for a real run's evidence. */

/** Nanoseconds since 1970. */
export function epochNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
}

/** UTC time stamp with microseconds; `Z` as SESSIONS.md has it, `+00:00` as LOG.md has it. */
export function timeStamp(zone: 'Z' | '+00:00'): string {
  const micros = String(epochNs() / 1000n).slice(-3);
  return new Date().toISOString().replace('Z', `${micros}${zone}`);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
