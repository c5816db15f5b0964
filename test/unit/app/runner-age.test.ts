import { describe, expect, it } from 'vitest';
import { runnerProblems } from '../../../src/app/doctor/runner-age.ts';

const NOW = Date.UTC(2026, 10, 30);
const DAY = 86_400_000;
const problems = (version: string | null, days: number) =>
  runnerProblems({ version, builtMs: NOW - days * DAY }, NOW);

describe('the age of a runner', () => {
  it('is no problem for a month, nor where there is no runner', () => {
    expect(problems('2.336.0', 30)).toEqual([]);
    expect(problems(null, 3)).toEqual([]);
    expect(runnerProblems(null, NOW)).toEqual([]);
  });

  it('is one after that, for GitHub may send it nothing any more', () => {
    expect(problems('2.336.0', 31)).toMatchObject([
      {
        code: 'RB824',
        severity: 'warning',
        message: 'it is version 2.336.0, built 31 days ago.',
        consequence: expect.stringContaining('no job'),
      },
    ]);
  });

  it.each(['2.328.9', '2.9.400', '1.999.0'])('is one at once for %s, which is not registered', (version) => {
    expect(problems(version, 0)).toMatchObject([{ consequence: expect.stringContaining('2.329.0') }]);
  });

  it.each(['2.329.0', '2.1000.0', '3.0.0'])('is none for %s', (version) => {
    expect(problems(version, 0)).toEqual([]);
  });
});
