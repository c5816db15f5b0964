import { expect, test } from 'vitest';
import type { RunFacts } from '../../../src/model/run-facts.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import type { Part } from '../../../src/results/measurement.ts';
import { mergeParts } from '../../../src/results/merge-shards.ts';
import { gradeOf } from '../../../src/verdict/release.ts';
import { planOf, recordsOf } from '../verdict/records.ts';
import { makeRunFacts } from './record-builder.ts';

const plan = planOf({ tasks: 1, initStates: 2 });
const QUALIFICATION: NonNullable<RunFacts['qualification']> = {
  id: '20261129T120000Z-qualify-libero_spatial-0a1b',
  sha256: 'c'.repeat(64),
  qualifiedAt: '2026-11-29T12:00:00.000Z',
  positiveControl: null,
  skipped: [],
};

function shard(index: number, isQualified: boolean): Part {
  const run = makeRunFacts({
    runId: `r${index}`,
    shard: { index, count: 2 },
    positions: [index - 1],
    ...(isQualified ? { qualification: QUALIFICATION } : {}),
  });
  const records = recordsOf(plan, () => 'success').filter(({ position }) => position === index - 1);
  const results = aggregate({ plan, records, run, journal: [] });
  return {
    stopBaseline: null,
    heldOut: null,
    plan,
    planDigest: run.planDigest,
    run,
    records,
    results,
    manifestSha256: String(index).repeat(64),
  };
}

test.each([
  [true, true, 'qualified'],
  [true, false, 'exploratory'],
  [false, true, 'exploratory'],
] as const)('shards qualified %j and %j make evidence that is %s', (first, second, grade) => {
  const [measurement] = mergeParts([shard(1, first), shard(2, second)]).measurements;
  expect(measurement === undefined ? null : gradeOf(measurement.run, measurement.plan)).toBe(grade);
});
