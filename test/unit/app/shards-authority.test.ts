import { describe, expect, test } from 'vitest';
import { assessSuite } from '../../../src/job/judge/assess-suite.ts';
import { type Approval, bind } from '../../../src/model/approval.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { RunFacts } from '../../../src/model/run-facts.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import type { Part } from '../../../src/results/measurement.ts';
import { mergeParts } from '../../../src/results/merge-shards.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { planOf, recordsOf } from '../verdict/records.ts';

const plan: Plan = {
  ...planOf({ tasks: 1, initStates: 2, thresholds: { minSuccessRate: 0.1 } }),
  purpose: 'release',
};
const HEAD = 'b'.repeat(40);
const { planDigest } = makeRunFacts();

function approvalFor(headCommit: string, suite = plan.suite): Approval {
  const pins = { policyRef: null, checkpointDigest: null, imageDigest: null, distHash: null };
  const reference = { source: 'environment', runId: 42, environment: 'release', ordinal: 1 } as const;
  const evidence = { repository: 'acme/robots', reference, actor: 'ada', permission: null, at: null };
  const binding = { planDigest, headCommit, ...pins };
  return bind({ ...evidence, url: 'https://x', comment: null }, suite, binding, '2026-11-29T12:00:00.000Z');
}

const SOUND: Partial<RunFacts> = {
  source: { githubRunId: '42', headCommit: HEAD, repository: 'acme/robots' },
  approval: { state: 'approved', approval: approvalFor(HEAD) },
  recording: { by: 'relay', arms: ['candidate'] },
  qualification: {
    id: '20261129T120000Z-qualify-libero_spatial-0a1b',
    sha256: 'c'.repeat(64),
    qualifiedAt: '2026-11-29T12:00:00.000Z',
    positiveControl: null,
    skipped: [],
  },
};

function shard(index: number, facts: Partial<RunFacts>): Part {
  const place = { runId: `r${index}`, shard: { index, count: 2 }, positions: [index - 1] };
  const { approval, ...rest } = { ...SOUND, ...facts };
  const run = makeRunFacts({ ...rest, ...(approval === undefined ? {} : { approval }), ...place });
  const records = recordsOf(plan, () => 'success').filter(({ position }) => position === index - 1);
  const results = aggregate({ plan, records, run, journal: [] });
  return {
    stopBaseline: null,
    heldOut: null,
    plan,
    planDigest,
    run,
    records,
    results,
    manifestSha256: String(index).repeat(64),
  };
}

/** Of two shards of which the second one has these facts instead. */
function verdictWith(facts: Partial<RunFacts>) {
  const [measurement] = mergeParts([shard(1, {}), shard(2, facts)]).measurements;
  if (measurement === undefined) throw new Error('nothing was merged');
  const { verdict, reasons } = assessSuite(measurement, null).decision;
  return { verdict, codes: reasons.map(({ code }) => code), run: measurement.run };
}

const [candidate] = makeRunFacts().arms;

describe('a release of two shards', () => {
  test('passes when both are what it asks for', () => {
    expect(verdictWith({})).toMatchObject({ verdict: 'PASS', codes: ['floor_reached'] });
  });

  test.each<[string, Partial<RunFacts>, string]>([
    ['has no approval', { approval: undefined as never }, 'not_approved'],
    [
      'names one of another commit',
      { approval: { state: 'approved', approval: approvalFor('d'.repeat(40)) } },
      'not_approved',
    ],
    [
      'names one of another suite',
      { approval: { state: 'approved', approval: approvalFor(HEAD, 'another_suite') } },
      'not_approved',
    ],
    [
      'names one of another repository',
      { source: { githubRunId: '42', headCommit: HEAD, repository: 'eve/robots' } },
      'not_approved',
    ],
    ['helped to select the policy', { selection: { from: [], overlap: 1 } }, 'selected_cells'],
    ['was not planned', { evidenceClass: 'unplanned' }, 'exploratory'],
    [
      'saw its policy change',
      { arms: candidate === undefined ? [] : [{ ...candidate, changed: 'another checkpoint' }] },
      'policy_changed',
    ],
  ])('is INVALID when the second one %s', (_, facts, code) => {
    const { verdict, codes } = verdictWith(facts);
    expect(verdict).toBe('INVALID');
    expect(codes).toContain(code);
  });

  test('shows what its weaker shard says of itself', () => {
    expect(verdictWith({ approval: undefined as never }).run.approval).toBeUndefined();
    const waived = { state: 'waived', why: 'the workflow sets approval: none' } as const;
    expect(verdictWith({ approval: waived }).run.approval).toEqual(waived);
    const selection = { from: [], overlap: 1 };
    expect(verdictWith({ selection }).run.selection).toEqual(selection);
    expect(verdictWith({ evidenceClass: 'unplanned' }).run.evidenceClass).toBe('unplanned');
  });
});
