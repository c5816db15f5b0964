import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_FRAMES, Spread } from '../../../src/film/spread.ts';

function keptOf(length: number): { kept: number[]; every: number } {
  const spread = new Spread();
  let kept: number[] = [];
  for (let each = 0; each < length; each += 1) {
    const index = spread.next();
    kept = kept.filter((one) => one % spread.every === 0);
    if (index !== null) kept.push(index);
  }
  return { kept, every: spread.every };
}

describe('frames of a stream whose length nobody knows', () => {
  it('are all kept while there are few', () => {
    expect(keptOf(0).kept).toEqual([]);
    expect(keptOf(15).kept).toEqual(Array.from({ length: 15 }, (_, index) => index));
  });

  it('are evenly spread from the first on, at most 15 and at least 8, however long it gets', () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 5000 }), (length) => {
        const { kept, every } = keptOf(length);
        expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => index * every));
        expect(kept.length).toBeLessThan(MOST_FRAMES);
        expect(kept.length).toBeGreaterThanOrEqual(MOST_FRAMES / 2);
        expect((kept.at(-1) ?? 0) + every).toBeGreaterThanOrEqual(length);
      }),
    );
  });
});
