import { describe, expect, it } from 'vitest';
import { benchmarkEvidenceProblems } from '../../../src/plan/benchmark-evidence.ts';

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
    expect(benchmarkEvidenceProblems(target('DummySimTargetRuntime'), null)).toMatchObject([
      { code: 'RB362', severity: 'fatal' },
    ]);
  });

  it('is warned of when it names no suite, and no problem when it does', () => {
    const proxy = target('MazeTargetProxy');
    expect(benchmarkEvidenceProblems(proxy, null)).toMatchObject([{ code: 'RB362', severity: 'warning' }]);
    const nameless = { ...described, suite: null };
    expect(benchmarkEvidenceProblems(proxy, nameless)).toMatchObject([{ severity: 'warning' }]);
    expect(benchmarkEvidenceProblems(proxy, described)).toEqual([]);
  });
});
