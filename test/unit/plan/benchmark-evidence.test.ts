import { describe, expect, it } from 'vitest';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { planProblems } from '../../../src/job/prepare/early-stop-rules.ts';
import { benchmarkEvidenceProblems } from '../../../src/plan/benchmark-evidence.ts';
import { planOf } from '../verdict/records.ts';

const described = {
  runtime: 'R',
  suite: 'maze',
  tasks: [],
  actionDim: null,
  maxChunkSize: null,
  protocol: {},
};
const target = (targetRuntime: string) => ({ id: 'mine', targetRuntime });

describe('a target whose episodes would not say what ran', () => {
  it('is refused when it is the dummy of the runtime, whatever else is known', () => {
    expect(benchmarkEvidenceProblems(target('DummySimTargetRuntime'), null, 'simulator')).toMatchObject([
      { code: 'RB362', severity: 'fatal' },
    ]);
  });

  it('is warned of when it names no suite, and no problem when it does', () => {
    const proxy = target('MazeTargetProxy');
    expect(benchmarkEvidenceProblems(proxy, null, 'simulator')).toMatchObject([
      { code: 'RB362', severity: 'warning' },
    ]);
    const nameless = { ...described, suite: null };
    expect(benchmarkEvidenceProblems(proxy, nameless, 'simulator')).toMatchObject([{ severity: 'warning' }]);
    expect(benchmarkEvidenceProblems(proxy, described, 'simulator')).toEqual([]);
  });

  it('is taken as its cure says', () => {
    const [refusal] = benchmarkEvidenceProblems(target('DummySimTargetRuntime'), null, 'simulator');
    expect(refusal?.fix).toContain('evidence: session');
    expect(readInputs({ workspace: '/w', evidence: 'session' }).evidence).toBe('session');
    expect(benchmarkEvidenceProblems(target('DummySimTargetRuntime'), null, 'session')).toEqual([]);
  });

  it.each([
    ['a release', { purpose: 'release' }],
    ['a qualification', { mode: 'qualify' }],
  ])('is not taken for %s', (_, raw) => {
    expect(() => readInputs({ workspace: '/w', evidence: 'session', ...raw })).toThrow(
      /RB365 input evidence/,
    );
  });

  it('is not taken for a release that only the event makes one', () => {
    const plan = planOf({ tasks: 1, initStates: 1 });
    const codesOf = (purpose: 'release' | 'pr') =>
      planProblems({ ...plan, purpose, evidence: 'session' }, 1).map(({ code }) => code);
    expect(codesOf('release')).toEqual(['RB365']);
    expect(codesOf('pr')).toEqual([]);
  });
});
