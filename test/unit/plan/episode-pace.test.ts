import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paceOf, type TimedEpisode } from '../../../src/plan/episode-pace.ts';

const T0 = Date.UTC(2026, 0, 1);
const at = (ms: number): string => new Date(T0 + ms).toISOString();

/** Sessions one after the other, `gapMs` apart. */
function inARow(
  gapMs: number,
  sessions: readonly { outcome?: string; steps: number | null; ms: number }[],
): TimedEpisode[] {
  let now = 0;
  return sessions.map(({ outcome = 'failure', steps, ms }) => {
    const start = now;
    now += ms + gapMs;
    return { outcome, steps, durationMs: ms, startedAt: at(start), finishedAt: at(start + ms) };
  });
}

describe('the pace of earlier episodes', () => {
  it('is that of the valid ones: errors end early and timeouts late', () => {
    const episodes = inARow(2000, [
      { outcome: 'success', steps: 100, ms: 40_000 },
      { outcome: 'error', steps: null, ms: 100 },
      { outcome: 'timed_out', steps: null, ms: 1_800_000 },
      { outcome: 'rejected', steps: null, ms: 10 },
    ]);
    expect(paceOf(episodes)).toEqual({ secondsPerEpisode: 40, split: null });
    expect(paceOf(episodes.slice(1))).toBeNull();
    expect(paceOf([])).toBeNull();
  });

  it('counts what lies between two sessions, but not the pauses of a run', () => {
    const steady = { steps: null, ms: 10_000 };
    const episodes = inARow(2000, [steady, steady, steady, { ...steady, ms: 10_000 }]);
    const later = inARow(2000, [steady]).map((episode) => ({
      ...episode,
      startedAt: at(3_600_000),
      finishedAt: at(3_610_000),
    }));
    expect(paceOf([...episodes, ...later])?.secondsPerEpisode).toBe(12);
  });

  it('tells reset from steps where episodes differ in length, and never invents either', () => {
    const lengths = [40, 90, 130, 200, 220];
    const episodes = inARow(
      0,
      lengths.map((steps) => ({ steps, ms: 30_000 + steps * 50 })),
    );
    const { split = null } = paceOf(episodes) ?? {};
    expect(split?.resetSeconds).toBeCloseTo(30, 6);
    expect(split?.secondsPerStep).toBeCloseTo(0.05, 9);
    const alike = lengths.map(() => ({ steps: 220, ms: 41_000 }));
    expect(paceOf(inARow(0, alike))?.split).toBeNull();
    const backwards = lengths.map((steps) => ({ steps, ms: 90_000 - steps * 50 }));
    expect(paceOf(inARow(0, backwards))?.split).toBeNull();
  });

  it('finds any reset and step time again from noiseless episodes', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e5, noNaN: true }),
        fc.double({ min: 1, max: 1e4, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { minLength: 5, maxLength: 40 }),
        (resetMs, stepMs, steps) => {
          fc.pre(Math.max(...steps) >= 1.3 * Math.min(...steps));
          const episodes = inARow(
            0,
            steps.map((each) => ({ steps: each, ms: resetMs + each * stepMs })),
          );
          const { split = null } = paceOf(episodes) ?? {};
          expect(split?.secondsPerStep).toBeCloseTo(stepMs / 1000, 6);
          expect(split?.resetSeconds).toBeCloseTo(resetMs / 1000, 4);
        },
      ),
    );
  });
});
