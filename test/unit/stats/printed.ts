import { expect } from 'vitest';

/** Holds a computed number against one printed elsewhere: equal to one unit of its last digit, for some were cut off. */
export function expectPrinted(actual: number | null | undefined, printed: string): void {
  const match = /^-?\d*\.?(\d*)(?:e([+-]?\d+))?$/.exec(printed);
  if (match === null) throw new Error(`no number: ${printed}`);
  const lastDigit = 10 ** (Number(match[2] ?? 0) - (match[1] ?? '').length);
  expect(actual, `expected ${printed}, got ${actual}`).toBeTypeOf('number');
  const gap = Math.abs((actual ?? Number.NaN) - Number(printed));
  // 1e-15 for the ends that are exact.
  expect(gap, `expected ${printed}, got ${actual}`).toBeLessThanOrEqual(lastDigit + 1e-15);
}

/** Both ends of an interval, printed as "low high". */
export function expectInterval(actual: { low: number; high: number } | null, printed: string): void {
  const [low = '', high = ''] = printed.split(' ');
  expectPrinted(actual?.low, low);
  expectPrinted(actual?.high, high);
}
