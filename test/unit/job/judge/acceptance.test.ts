import { describe, expect, it } from 'vitest';
import { acceptanceProblems } from '../../../../src/job/judge/acceptance.ts';
import type { Measurement } from '../../../../src/results/measurement.ts';

/** The fields that are looked at before any verdict is asked for. */
function measured(results: object, run: object = { evidenceClass: 'planned' }): Measurement {
  const plan = { suite: 'libero_spatial' };
  return { plan, run: { runId: 'r1', ...run }, results } as unknown as Measurement;
}

describe('acceptanceProblems', () => {
  it('refuses sessions of others, an unfinished run and one that stopped early', () => {
    const complete = { kind: 'complete', reason: null };
    const cases = [
      measured({ end: complete, earlyStop: null }, { evidenceClass: 'unplanned' }),
      measured({ end: { kind: 'interrupted', reason: 'cancelled' }, earlyStop: null }),
      measured({ end: null, earlyStop: null }),
      measured({ end: complete, earlyStop: { stopped: { prefix: 7 } } }),
    ];
    const messages = cases.map((each) =>
      acceptanceProblems(each)
        .map(({ message }) => message)
        .join(),
    );
    expect(messages).toEqual([
      'its sessions were queued by others; nothing was planned.',
      'the run ended interrupted: cancelled.',
      'the run never ended.',
      expect.stringContaining('stopped early'),
    ]);
  });
});
