import { describe, expect, it } from 'vitest';
import { telling } from '../../../src/platform/telling.ts';

describe('telling', () => {
  it('tells about what lasts, with the time so far, and gives the result', async () => {
    const told: number[] = [];
    let end = (_result: string): void => undefined;
    const work = new Promise<string>((resolve) => {
      end = resolve;
    });
    const tell = (ms: number): void => {
      told.push(ms);
      if (told.length === 3) end('done');
    };
    expect(await telling(work, tell, { firstMs: 1, againMs: 2 })).toBe('done');
    expect(told).toEqual([1, 3, 5]);
  });

  it('says nothing about what is quick, and passes failures on', async () => {
    const told: number[] = [];
    await expect(telling(Promise.reject(new Error('no')), (ms) => told.push(ms))).rejects.toThrow('no');
    expect(await telling(Promise.resolve(1), (ms) => told.push(ms))).toBe(1);
    expect(told).toEqual([]);
  });
});
