import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalDigest, canonicalJson } from '../../../src/base/canonical-json.ts';
import { randomBelow, seededRandom, shuffled } from '../../../src/base/random.ts';
import { cellTargetId, runId, sessionId } from '../../../src/plan/ids.ts';

const cell = { taskId: 3, initStateId: 7, runIndex: 0, arm: 'candidate' } as const;

describe('ids', () => {
  it('spells a session id from run, cell and attempt', () => {
    expect(sessionId('gh99-bench-libero_spatial', cell, 2)).toBe(
      'rb-gh99-bench-libero_spatial-t03-i007-r0-candidate-a2',
    );
  });

  it('gives a workflow run the same id on every attempt and a command line run a new one', () => {
    const github = { kind: 'github', githubRunId: '123', job: 'bench (a, b)', suite: 'libero_10' } as const;
    expect(runId(github)).toBe('gh123-bench-a-b-libero_10');
    expect(runId({ ...github, shard: '2/4' })).toBe('gh123-bench-a-b-libero_10-2-4');
    expect(
      runId({
        kind: 'cli',
        nowMs: Date.UTC(2026, 10, 29, 16, 6, 12),
        suite: 'libero_10',
        randomHex: 'ab12cd',
      }),
    ).toBe('20261129T160612Z-libero_10-ab12');
  });

  it('keeps suites apart whose names cannot stand in an id', () => {
    const github = { kind: 'github', githubRunId: '1', job: 'bench' } as const;
    const ids = ['抓取', '放置', 'a b', 'a-b'].map((suite) => runId({ ...github, suite }));
    expect(new Set(ids).size).toBe(4);
    expect(ids[3]).toBe('gh1-bench-a-b');
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('holds only safe characters and a bounded length, and keeps long names apart', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (job, suite) => {
        const id = runId({ kind: 'github', githubRunId: '1', job, suite });
        expect(id).toMatch(/^[A-Za-z0-9_-]{1,120}$/);
        expect(sessionId(id, cell, 0)).toMatch(/^rb-[A-Za-z0-9_-]+$/);
      }),
    );
    const long = 'x'.repeat(200);
    const ids = ['1', '2'].map((end) =>
      runId({ kind: 'github', githubRunId: '1', job: long, suite: `s${end}` }),
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('names a cell target by its config, not by the order of keys', () => {
    expect(cellTargetId('libero', { a: 1, b: 2 })).toBe(cellTargetId('libero', { b: 2, a: 1 }));
    expect(cellTargetId('libero', { a: 1, b: 3 })).not.toBe(cellTargetId('libero', { a: 1, b: 2 }));
    expect(cellTargetId('libero', { a: 1 })).toMatch(/^libero--rb-[0-9a-f]{8}$/);
  });
});

describe('canonicalJson', () => {
  it('sorts keys at every depth and drops undefined members', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'é"', u: undefined })).toBe(
      '{"a":"é\\"","b":[{"c":null,"d":1}]}',
    );
  });

  it('gives a value and its re-read JSON text the same digest', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalDigest(JSON.parse(JSON.stringify(value)))).toBe(canonicalDigest(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('refuses what JSON cannot hold', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, undefined, () => 1]) {
      expect(() => canonicalJson([value])).toThrowError(TypeError);
    }
  });
});

describe('seededRandom', () => {
  it('uses all bits of the seed', () => {
    const first = [1, 2, 2 ** 32 + 1, 2 ** 33 + 1].map((seed) =>
      Array.from({ length: 4 }, seededRandom(seed)).join(),
    );
    expect(new Set(first).size).toBe(4);
  });

  it('spreads draws evenly and keeps every element when shuffling', () => {
    const random = seededRandom(7);
    const counts = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) {
      const value = randomBelow(random, 10);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    // Standard deviation of a count is 95; five of them is far beyond chance for a fixed seed.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(475);
    expect(new Set(shuffled([1, 2, 3, 4, 5], random))).toEqual(new Set([1, 2, 3, 4, 5]));
  });
});
