import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { bytesText, capsText } from '../../../src/model/caps.ts';
import { makePlan, planDigest } from '../../../src/plan/make-plan.ts';
import { shardCaps, shardPositions } from '../../../src/plan/shard.ts';
import { wallCapWarnings } from '../../../src/verdict/foresight.ts';
import { planRequest } from '../plan/plan-request.ts';

describe('caps of a plan', () => {
  it('are part of its digest when given, and of nothing when not', () => {
    const plain = makePlan(planRequest());
    expect(makePlan(planRequest({ caps: undefined }))).not.toHaveProperty('caps');
    const capped = makePlan(planRequest({ caps: { maxSessions: 100 } }));
    expect(capped.caps).toEqual({ maxSessions: 100 });
    expect(planDigest(capped)).not.toBe(planDigest(plain));
  });

  it('refuse a plan with more episodes than sessions, and stretch nothing', () => {
    const refused = (): unknown => makePlan(planRequest({ caps: { maxSessions: 99 } }));
    expect(refused).toThrow(RbError);
    expect(refused).toThrow(/RB335.*100 episodes, sessions=99/s);
  });

  it('warn when earlier runs took clearly longer', () => {
    const plan = makePlan(planRequest({ caps: { maxWallTimeS: 1000 } }));
    expect(wallCapWarnings(plan, null)).toEqual([]);
    expect(wallCapWarnings(plan, 11)).toEqual([]);
    expect(wallCapWarnings(plan, 13)).toMatchObject([{ code: 'RB336', severity: 'warning' }]);
    expect(wallCapWarnings(makePlan(planRequest()), 1e6)).toEqual([]);
  });

  it('are shared by shards so that together they stay within them, each with room for its cells', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 100, max: 400 }),
        fc.integer({ min: 1000, max: 1_000_000 }),
        (count, maxSessions, maxArtifactBytes) => {
          const plan = makePlan(planRequest({ caps: { maxSessions, maxArtifactBytes, maxWallTimeS: 9 } }));
          const shards = Array.from({ length: count }, (_, at) => ({ index: at + 1, count }));
          const parts = shards.map((shard) => shardCaps(plan, shard));
          expect(parts.reduce((sum, part) => sum + (part?.maxSessions ?? 0), 0)).toBe(maxSessions);
          expect(parts.reduce((sum, part) => sum + (part?.maxArtifactBytes ?? 0), 0)).toBeLessThanOrEqual(
            maxArtifactBytes,
          );
          for (const [at, shard] of shards.entries()) {
            expect(parts[at]?.maxSessions).toBeGreaterThanOrEqual(shardPositions(plan, shard).length);
            expect(parts[at]?.maxWallTimeS).toBe(9);
          }
        },
      ),
    );
    expect(shardCaps(makePlan(planRequest()), { index: 1, count: 2 })).toBeNull();
  });

  it('are readable', () => {
    expect(capsText(undefined)).toBe('none');
    expect(capsText({ maxSessions: 120, maxWallTimeS: 2700, maxArtifactBytes: 1.5e9 })).toBe(
      '120 sessions, 45 min, 1.5 GB of artifacts',
    );
    expect([1, 999, 1000, 999_999, 2e15].map(bytesText)).toEqual([
      '1 byte',
      '999 bytes',
      '1 kB',
      '1000 kB',
      '2000 TB',
    ]);
  });
});
