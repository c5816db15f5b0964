import { describe, expect, it } from 'vitest';
import { assessSuite } from '../../../src/job/judge/assess-suite.ts';
import { planDigest } from '../../../src/plan/make-plan.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import { prepareRecords } from '../../../src/verdict/baseline.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { planOf, recordsOf } from '../verdict/records.ts';

const CHECKPOINT = `sha256:${'1'.repeat(64)}`;
const plan = planOf({ tasks: 10, initStates: 10 });
const facts = makeRunFacts();
const run = { ...facts, arms: facts.arms.map((arm) => ({ ...arm, checkpointDigest: CHECKPOINT })) };

/** Two runs that disagree on three of a hundred cells. */
function assessed(baselineCheckpoint: string | null) {
  const records = recordsOf(plan, (place) => (place < 3 ? 'failure' : 'success'));
  const before = recordsOf(plan, () => 'success');
  const results = aggregate({ plan, records, run, journal: [] });
  const kept = { stopBaseline: null, heldOut: null };
  const measurement = {
    ...kept,
    plan,
    planDigest: planDigest(plan),
    run,
    records,
    results,
    parts: [],
    invalid: [],
  };
  const offered = { name: 'last night', records: before, fingerprint: run.fingerprint };
  const baseline = prepareRecords(plan, run.fingerprint, {
    ...offered,
    checkpoint: baselineCheckpoint ?? undefined,
  });
  return assessSuite(measurement, baseline);
}

const noiseOf = (suite: ReturnType<typeof assessed>) =>
  suite.comparison?.rows.find(({ label }) => label.startsWith('Rerun noise'))?.value;

describe('rerun noise', () => {
  it('is what two runs of one checkpoint disagree on', () => {
    const suite = assessed(CHECKPOINT);
    expect(suite.assessment.noise).toMatchObject({ pairs: 100, disagreeing: 3, rate: 0.03 });
    expect(noiseOf(suite)).toBe('3.0% of episodes (3/100; 95 % 1.0–8.5)');
  });

  it.each([
    ['another checkpoint', `sha256:${'2'.repeat(64)}`],
    ['an unknown one', null],
  ])('is not claimed against %s', (_, checkpoint) => {
    const suite = assessed(checkpoint);
    expect(suite.assessment.noise).toBeNull();
    expect(noiseOf(suite)).toBeUndefined();
  });
});
