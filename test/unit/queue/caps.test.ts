import { describe, expect, it } from 'vitest';
import type { JournalEvent, JournalRecord } from '../../../src/model/journal-events.ts';
import { wallMsIn } from '../../../src/queue/machine/caps.ts';

const lane: JournalEvent = { type: 'lane', waitedMs: 0, holder: null };
const usage = (wallMs: number): JournalEvent => ({ type: 'usage', sessions: 0, wallMs, artifactBytes: null });

/** Records at these seconds. */
function journal(...lines: readonly (readonly [number, JournalEvent])[]): JournalRecord[] {
  return lines.map(([second, event]) => ({ at: new Date(second * 1000).toISOString(), event }));
}

describe('wall time of a crashed attempt', () => {
  it('goes up to its last line, on top of what was written', () => {
    expect(wallMsIn(journal([0, lane], [5, usage(100_000)], [65, usage(160_000)], [70, lane]))).toBe(165_000);
  });

  it('is known from its first line on when no usage was written', () => {
    expect(wallMsIn(journal([10, lane], [17, lane]))).toBe(7000);
    expect(wallMsIn([])).toBe(0);
  });

  it('adds up over attempts that each begin with what was used before', () => {
    const first = wallMsIn(journal([0, usage(0)], [50, lane]));
    const second = wallMsIn(journal([100, lane], [100, usage(first)], [140, lane]));
    expect(second).toBe(90_000);
  });

  it('never shrinks when the clock is set back', () => {
    expect(wallMsIn(journal([100, usage(5000)], [40, lane]))).toBe(5000);
  });
});
