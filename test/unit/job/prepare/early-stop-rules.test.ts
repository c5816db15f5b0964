import { describe, expect, it } from 'vitest';
import { RbError } from '../../../../src/errors/rb-error.ts';
import { readInputs } from '../../../../src/inputs/read-inputs.ts';
import { planProblems } from '../../../../src/job/prepare/early-stop-rules.ts';
import { type ArmPolicy, requireTwoPolicies } from '../../../../src/job/prepare/policies.ts';
import { type PlanShape, planOf } from '../../verdict/records.ts';

const stopping = (shape: Partial<PlanShape> = {}) => ({
  ...planOf({ tasks: 2, initStates: 10, ...shape }),
  earlyStop: true,
});

describe('rules that a plan cannot meet', () => {
  it('are told all at once', () => {
    const plan = stopping({ thresholds: { minSuccessRate: 0.99, thresholdMode: 'lower-bound' } });
    expect(planProblems(plan, 4).map(({ code }) => code)).toEqual(['RB602', 'RB605']);
  });

  it.each([
    ['a second arm', stopping({ arms: ['candidate', 'baseline'] })],
    ['a floor', stopping({ thresholds: { minTaskSuccessRate: 0.5 } })],
    ['a recorded baseline', { ...stopping(), stopBaseline: 'a'.repeat(64) }],
  ])('are none with %s', (_, plan) => expect(planProblems(plan, 1)).toEqual([]));

  it('name what an early stop lacks', () => {
    expect(planProblems(stopping(), 1)).toMatchObject([
      { code: 'RB605', message: expect.stringContaining('no floor') },
    ]);
  });
});

describe('inputs', () => {
  const problems = (raw: Record<string, string>) => {
    try {
      readInputs({ workspace: '/srv/w', ...raw });
      return [];
    } catch (error) {
      if (!(error instanceof RbError)) throw error;
      return error.problems.map(({ code, where }) => `${code} ${where}`);
    }
  };

  it.each([
    [{ 'max-regression': '0' }, 'RB601 input max-regression'],
    [{ 'max-regression': '100%' }, 'RB601 input max-regression'],
    [{ 'max-regression': 'five' }, 'RB102 input max-regression'],
    [{ baseline: '501/500' }, 'RB604 input baseline'],
    [{ baseline: '43.9% of 500' }, 'RB603 input baseline'],
    [{ baseline: '97.2%' }, 'RB604 input baseline'],
    [
      { 'baseline-endpoint': 'openpi://127.0.0.1:8001', baseline: '486/500' },
      'RB107 input baseline-endpoint',
    ],
  ])('%j is refused with %s', (raw, problem) => expect(problems(raw)).toEqual([problem]));

  it('take a published percentage as the count it stands for', () => {
    const { baseline } = readInputs({ workspace: '/srv/w', baseline: '97.2% of 500' });
    expect(baseline).toEqual({ kind: 'count', successes: 486, n: 500, note: null });
    expect(readInputs({ workspace: '/srv/w', baseline: 'runs/97/2' }).baseline).toEqual({
      kind: 'path',
      path: 'runs/97/2',
    });
  });

  it('say that an A/A test without a second policy is none', () => {
    expect(() => readInputs({ workspace: '/srv/w', baseline: 'same' })).toThrowError(/RB107 input baseline/);
    expect(readInputs({ mode: 'report', baseline: 'same' }).baseline).toEqual({ kind: 'same' });
  });
});

describe('two arms', () => {
  const policy = (arm: 'candidate' | 'baseline', endpoint: string, digest: string | null): ArmPolicy => ({
    started: null,
    arm,
    endpoint,
    before: { kind: digest === null ? 'unknown' : 'metadata', digest, metadata: {}, volatile: [] },
  });
  const candidate = policy('candidate', 'openpi://127.0.0.1:8000', 'sha256:a');

  it.each([
    ['one address under two schemes', policy('baseline', 'policyws://127.0.0.1:8000', 'sha256:b')],
    ['one host under two names', policy('baseline', 'openpi://localhost:8000', 'sha256:b')],
    ['equal metadata', policy('baseline', 'openpi://127.0.0.1:8001', 'sha256:a')],
  ])('are refused with %s, unless that is wanted', (_, baseline) => {
    expect(() => requireTwoPolicies([candidate, baseline], false)).toThrow('same policy');
    expect(() => requireTwoPolicies([candidate, baseline], true)).not.toThrow();
  });

  it('may both be unknown: nothing says that they are the same', () => {
    const arms = [
      policy('candidate', 'openpi://127.0.0.1:8000', null),
      policy('baseline', 'openpi://127.0.0.1:8001', null),
    ];
    expect(() => requireTwoPolicies(arms, false)).not.toThrow();
  });
});
