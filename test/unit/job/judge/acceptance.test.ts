import { describe, expect, it } from 'vitest';
import { acceptanceProblems } from '../../../../src/job/judge/acceptance.ts';
import type { JournalEvent } from '../../../../src/model/journal-events.ts';
import type { RunFacts } from '../../../../src/model/run-facts.ts';
import { aggregate } from '../../../../src/results/aggregate.ts';
import type { Measurement } from '../../../../src/results/measurement.ts';
import { withStop } from '../../../../src/verdict/early-stop-records.ts';
import { makeRunFacts } from '../../results/record-builder.ts';
import { planOf, recordsOf } from '../../verdict/records.ts';

const plan = { ...planOf({ tasks: 1, initStates: 10 }), earlyStop: true };

/** Ten successes, of a run whose journal ends like this. */
function measured(events: readonly JournalEvent[], facts: Partial<RunFacts> = {}): Measurement {
  const run = makeRunFacts(facts);
  const ran = recordsOf(plan, () => 'success');
  const records = events.includes(stopped) ? withStop(plan, ran, 7) : ran;
  const journal = events.map((event, seq) => ({ seq, at: '', prev: '0'.repeat(64), event }));
  const results = aggregate({ plan, records, run, journal });
  const kept = { stopBaseline: null, heldOut: null };
  const part = { ...kept, plan, planDigest: 'c'.repeat(64), run, records, results };
  return { ...part, parts: [{ ...part, manifestSha256: 'd'.repeat(64) }], invalid: [] };
}

const ended = (end: 'complete' | 'interrupted', reason: string | null = null): JournalEvent => ({
  ...{ type: 'ended', end, reason },
  ...{ foreignMs: 0, pausedMs: 0, totalMs: 60_000 },
});
const stopped: JournalEvent = {
  ...{ type: 'early_stop', decision: 'PASS', prefix: 7, planned: 10, skipped: 0, successes: 7 },
  ...{ valid: 7, pairs: 0, regressed: 0, fixed: 0 },
  gates: [{ gate: 'floor', state: 'pass', worse: null, notInferior: null }],
};

describe('acceptanceProblems', () => {
  it('refuses sessions of others, an unfinished run and one that stopped early', () => {
    const cases = [
      measured([ended('complete')], { evidenceClass: 'unplanned' }),
      measured([ended('interrupted', 'cancelled')]),
      measured([]),
      measured([stopped, ended('complete')]),
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

  it('has nothing against a whole run', () => {
    expect(acceptanceProblems(measured([ended('complete')]))).toEqual([]);
  });
});
