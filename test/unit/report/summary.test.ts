import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grownBytes } from '../../../src/report/budget.ts';
import { SUMMARY_BUDGET, summaryMarkdown } from '../../../src/report/summary.ts';
import { makeRecord } from '../results/record-builder.ts';
import { hostileText } from './hostile.ts';
import { makeView } from './report-builder.ts';

describe('summaryMarkdown', () => {
  it('shows verdict, rates and tasks', () => {
    const text = summaryMarkdown(makeView({ records: [makeRecord(0, 'success'), makeRecord(1, 'failure')] }));
    expect(text).toMatch(/^## libero_spatial: PASS \(provisional\)\n/);
    expect(text).toContain('| candidate | 50.0% (1/2) |');
    expect(text).toContain('| 0 | a task | 50.0% (1/2) |');
    expect(text).toContain('`rb-x-1`');
  });

  it('never exceeds its budget after every line end grew by a byte, and says what is missing', () => {
    const names = fc.array(hostileText, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(names, fc.integer({ min: 3_000, max: 20_000 }), (languages, budget) => {
        const records = languages.map((language, at) =>
          makeRecord(at, 'error', { taskId: at, language, errorCode: `E${at}` }),
        );
        const text = summaryMarkdown(makeView({ records }), budget);
        expect(grownBytes(text)).toBeLessThanOrEqual(budget);
        expect(text).toContain('## libero_spatial');
        const rows = text.split('\n').filter((line) => /^\| \d+ \|.*\| \d+ \|$/.test(line)).length;
        if (rows < languages.length) expect(text).toContain('left out for space');
      }),
      { numRuns: 60 },
    );
  });

  it('fits a suite of thousands of tasks into the real budget', () => {
    const language = '𝕏|`'.repeat(200);
    const records = Array.from({ length: 3000 }, (_, at) =>
      makeRecord(at, 'failure', { taskId: at, language }),
    );
    const text = summaryMarkdown(makeView({ records }));
    expect(grownBytes(text)).toBeLessThanOrEqual(SUMMARY_BUDGET);
    expect(text).toMatch(/\d+ tasks left out for space/);
  });
});
