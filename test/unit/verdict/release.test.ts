import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import type { RunFacts } from '../../../src/model/run-facts.ts';
import { type PreparedBaseline, prepareRecords } from '../../../src/verdict/baseline.ts';
import { gradeOf, releaseReasons } from '../../../src/verdict/release.ts';
import { decideRun } from '../../../src/verdict/run-decision.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { planOf, recordsOf } from './records.ts';

const QUALIFICATION: RunFacts['qualification'] = {
  id: '20261129T120000Z-qualify-libero_spatial-0a1b',
  sha256: 'c'.repeat(64),
  qualifiedAt: '2026-11-29T12:00:00.000Z',
  positiveControl: null,
  skipped: [],
};
const recording = { by: 'relay' as const, arms: ['candidate' as const] };
const qualified = makeRunFacts({ qualification: QUALIFICATION, recording });
const { qualification: _, ...unqualified } = qualified;
const release: Plan = {
  ...planOf({ tasks: 2, initStates: 5, thresholds: { minSuccessRate: 0.5 } }),
  purpose: 'release',
};
const records = recordsOf(release, () => 'success');

const codesOf = (plan: Plan, run: RunFacts, baseline: PreparedBaseline | null = null): string[] =>
  decideRun(plan, records, { run, baseline }).reasons.map(({ code }) => code);

function baselineOf(grade: 'qualified' | 'exploratory'): PreparedBaseline {
  return prepareRecords(release, {}, { name: 'main at 0123456789', records, fingerprint: null, grade });
}

describe('what a release looks at beside the episodes', () => {
  test('the same numbers pass with a qualification and are INVALID without one', () => {
    expect(decideRun(release, records, { run: qualified, baseline: null }).verdict).toBe('PASS');
    const decision = decideRun(release, records, { run: unqualified, baseline: null });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons.map(({ code }) => code)).toEqual(['exploratory']);
    expect(decision.reasons[0]?.text).toContain('rollout-bench qualify');
  });

  test('a qualification does not help sessions that nobody planned', () => {
    const run = { ...qualified, evidenceClass: 'unplanned' } as const;
    expect(gradeOf(run, release)).toBe('exploratory');
    expect(codesOf(release, run)).toContain('exploratory');
  });

  test('nor does it help a plan that takes the word of the sessions', () => {
    const plan: Plan = { ...release, evidence: 'session' };
    expect(gradeOf(qualified, plan)).toBe('exploratory');
    expect(gradeOf(qualified, release)).toBe('qualified');
    expect(decideRun(plan, records, { run: qualified, baseline: null }).verdict).toBe('INVALID');
    expect(codesOf(plan, qualified)).toEqual(['session_evidence']);
  });

  test('an exploratory baseline is refused, a qualified one and a second arm are not', () => {
    expect(codesOf(release, qualified, baselineOf('exploratory'))).toContain('baseline_exploratory');
    expect(codesOf(release, qualified, baselineOf('qualified'))).not.toContain('baseline_exploratory');
    expect(codesOf(release, qualified)).toEqual(['floor_reached']);
  });

  test('an edit of RUNTIME.md meanwhile voids a release, and only that', () => {
    const edited = { concerns: 'workspace' as const, what: 'RUNTIME.md edited', names: [] };
    const other = { ...edited, what: 'other targets in TARGETS.md changed or gone (1)' };
    const settlement = {
      ...{ measuredUnchanged: true, workspaceUnchanged: false, foreignUnchanged: true, foreignEntries: 0 },
      changes: [edited],
    };
    expect(codesOf(release, { ...qualified, settlement })).toEqual(['runtime_changed']);
    expect(codesOf({ ...release, purpose: 'pr' }, { ...qualified, settlement })).toEqual(['floor_reached']);
    const others = { ...settlement, changes: [other] };
    expect(codesOf(release, { ...qualified, settlement: others })).toEqual(['floor_reached']);
  });

  test.each(['pr', 'schedule', 'adhoc'] as const)('purpose %s works on exploratory evidence', (purpose) => {
    const plan = { ...release, purpose };
    const run = makeRunFacts();
    expect(releaseReasons({ plan, run, baseline: { name: 'main', grade: 'exploratory' } })).toEqual([]);
    expect(decideRun(plan, records, { run, baseline: baselineOf('exploratory') }).verdict).not.toBe(
      'INVALID',
    );
  });
});
