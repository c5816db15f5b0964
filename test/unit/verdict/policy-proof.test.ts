import { describe, expect, it } from 'vitest';
import type { EpisodeRecord, Outcome, PolicyProof } from '../../../src/model/episode-record.ts';
import type { Arm, Plan } from '../../../src/model/plan.ts';
import type { RunFacts } from '../../../src/model/run-facts.ts';
import { recordingResult } from '../../../src/results/recording.ts';
import { assess } from '../../../src/verdict/from-records.ts';
import { observedOrder, orderWarnings } from '../../../src/verdict/observed-order.ts';
import { proofReasons, proofWarnings } from '../../../src/verdict/policy-proof.ts';
import { releaseReasons } from '../../../src/verdict/release.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { planOf, recordsOf } from './records.ts';

const plan = planOf({ tasks: 2, initStates: 4, arms: ['candidate', 'baseline'] });
const proof = (state: PolicyProof['state'], note: string | null = null): PolicyProof => ({
  state,
  note,
  calls: 4,
  answers: 4,
  latencyMs: 10,
});

function recordsWith(
  proofOf: (place: number, arm: Arm) => PolicyProof,
  outcome: (place: number) => Outcome = () => 'success',
): EpisodeRecord[] {
  return recordsOf(plan, outcome, (place, arm) => ({
    sessionId: `${arm}-${place}`,
    policyProof: proofOf(place, arm),
  }));
}

describe('reasons from recordings', () => {
  it('has none when all is proven, or nothing was recorded', () => {
    expect(
      proofReasons(
        plan,
        recordsWith(() => proof('proven')),
      ),
    ).toEqual([]);
    expect(
      proofReasons(
        plan,
        recordsOf(plan, () => 'success'),
      ),
    ).toEqual([]);
  });

  it('names the sessions that prove nothing, and why', () => {
    const records = recordsWith((place, arm) =>
      arm === 'baseline' && place < 2 ? proof('not_proven', 'the runtime never asked') : proof('proven'),
    );
    const [reason] = proofReasons(plan, records);
    expect(reason?.code).toBe('policy_not_proven');
    expect(reason?.text).toContain('2 sessions');
    expect(reason?.text).toContain('the runtime never asked');
    expect(reason?.text).toContain('baseline-0, baseline-1');
    expect(recordingResult(plan, records)).toMatchObject({
      verified: false,
      unproven: ['baseline-0', 'baseline-1'],
      arms: [{ proven: 8 }, { proven: 6, valid: 8, calls: 32 }],
    });
  });

  it('asks a proof of a timeout only where timeouts count', () => {
    const records = recordsWith(
      () => proof('not_proven', 'x'),
      () => 'timed_out',
    );
    expect(proofReasons(plan, records)).toEqual([]);
    const strict: Plan = { ...plan, timeoutsAs: 'failure' };
    expect(proofReasons(strict, records).map(({ code }) => code)).toEqual(['policy_not_proven']);
  });

  it('another policy is a reason even where the episode does not count, and nothing valid verifies nothing', () => {
    const records = recordsWith(
      (place, arm) =>
        arm === 'candidate' && place === 0 ? proof('other_policy', 'it was x') : proof('nothing_to_prove'),
      () => 'error',
    );
    expect(proofReasons(plan, records).map(({ code }) => code)).toEqual(['policy_changed']);
    expect(
      recordingResult(
        plan,
        recordsWith(
          () => proof('nothing_to_prove'),
          () => 'error',
        ),
      ).verified,
    ).toBe(false);
  });

  it('warns of counts that differ, without deciding', () => {
    const records = recordsWith((place) =>
      place === 3 ? proof('proven', 'gave 5, executed 4') : proof('proven'),
    );
    expect(proofWarnings(records).map(({ code }) => code)).toEqual(['policy_calls_differ']);
    expect(proofReasons(plan, records)).toEqual([]);
    expect(recordingResult(plan, records).verified).toBe(true);
  });
});

describe('a difference between sides that cannot be compared', () => {
  const records = recordsWith(() => proof('proven'));
  const baseline = records.filter(({ arm }) => arm === 'baseline');

  it('is printed for proven arms, and neither for unproven ones nor for another policy', () => {
    expect(assess(plan, records).paired).not.toBe(null);
    for (const state of ['not_proven', 'other_policy'] as const) {
      const unproven = recordsWith((place) => proof(place === 0 ? state : 'proven', 'x'));
      const { paired, decision } = assess(plan, unproven, { unfit: proofReasons(plan, unproven) });
      expect({ paired, verdict: decision.verdict }).toEqual({ paired: null, verdict: 'INVALID' });
    }
  });

  it('is not printed between two protocols, whose differing fields are named', () => {
    const given = { kind: 'records' as const, name: 'main', records: baseline, differing: ['max_steps'] };
    const { paired, decision } = assess(plan, records, { baseline: given });
    expect(paired).toBe(null);
    expect(decision.reasons[0]).toMatchObject({ code: 'fingerprint_differs' });
    expect(decision.reasons[0]?.text).toContain('max_steps');
  });
});

describe('a release', () => {
  it('needs a record of its policies, and no other purpose does', () => {
    const codes = (purpose: Plan['purpose'], run: RunFacts): string[] =>
      releaseReasons({ plan: { ...plan, purpose }, run, baseline: null }).map(({ code }) => code);
    const recording = { by: 'relay' as const, arms: ['candidate' as const] };
    expect(codes('release', makeRunFacts())).toContain('policy_not_recorded');
    expect(codes('release', makeRunFacts({ recording }))).not.toContain('policy_not_recorded');
    expect(codes('pr', makeRunFacts())).toEqual([]);
  });
});

/** Records that began in the order that `rank` gives to positions, a second apart. */
function begun(over: Plan, rank: (position: number) => number): EpisodeRecord[] {
  return recordsOf(over, () => 'success').map((record) => ({
    ...record,
    startedAt: new Date(1_800_000_000_000 + rank(record.position) * 1000).toISOString(),
  }));
}

describe('the order in which episodes began', () => {
  const abba: Plan = {
    ...planOf({ tasks: 5, initStates: 4, arms: ['candidate', 'baseline'] }),
    order: { scheme: 'abba', seed: 1 },
  };
  const cells = abba.cells.map((cell, index) => {
    const swap = Math.floor(index / 2) % 2 === 1;
    return swap
      ? { ...cell, arm: cell.arm === 'candidate' ? ('baseline' as const) : ('candidate' as const) }
      : cell;
  });
  const balanced: Plan = { ...abba, cells };

  it('is the planned one, and balanced, when the watchdog takes what comes first', () => {
    const records = begun(balanced, (position) => position);
    expect(observedOrder(records)).toEqual({ known: 40, moved: 0, first: { candidate: 10, baseline: 10 } });
    expect(orderWarnings(balanced, records)).toEqual([]);
  });

  it('counts the fewest episodes to move, whatever was moved', () => {
    const late = begun(balanced, (position) => (position === 3 ? 99 : position));
    expect(observedOrder(late).moved).toBe(1);
    const reversed = begun(balanced, (position) => -position);
    expect(observedOrder(reversed).moved).toBe(39);
  });

  it('warns when one arm always comes first', () => {
    const records = begun(balanced, (position) => {
      const { arm } = balanced.cells[position] ?? { arm: 'candidate' };
      return Math.floor(position / 2) * 2 + (arm === 'candidate' ? 1 : 0);
    });
    const [warning] = orderWarnings(balanced, records);
    expect(warning?.code).toBe('order_unbalanced');
    expect(warning?.text).toContain('baseline began in 20 of 20 pairs');
  });

  it('knows nothing of episodes without a stamp, and takes the same stamp for no order', () => {
    expect(
      observedOrder(
        recordsOf(
          balanced,
          () => 'success',
          () => ({ startedAt: null }),
        ),
      ),
    ).toMatchObject({
      known: 0,
      moved: 0,
    });
    const together = begun(balanced, (position) => Math.floor(position / 2));
    expect(observedOrder(together)).toMatchObject({ moved: 0, first: { candidate: 0, baseline: 0 } });
  });
});
