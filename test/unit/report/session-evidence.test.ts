import { describe, expect, it } from 'vitest';
import { badgeOf } from '../../../src/history/badge.ts';
import type { HistoryRecord } from '../../../src/history/history-record.ts';
import { checkAnnotations } from '../../../src/report/check-output.ts';
import { commentMarkdown } from '../../../src/report/comment/comment.ts';
import { junitXml } from '../../../src/report/junit.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import { NO_CONTEXT } from '../../../src/report/page/comparison.ts';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { summaryMarkdown } from '../../../src/report/summary.ts';
import { terminalReport } from '../../../src/report/terminal.ts';
import { reportView } from '../../../src/report/view/report-view.ts';
import { planWarnings } from '../../../src/verdict/warnings.ts';
import { makePlan } from '../outcome/plan-builder.ts';
import { makeRecord } from '../results/record-builder.ts';
import { makeReportInput } from './report-builder.ts';

const inputOf = (evidence: 'session' | undefined) => {
  const records = [0, 1].map((position) =>
    makeRecord(position, 'success', evidence === undefined ? {} : { evidence }),
  );
  const plan = evidence === undefined ? {} : { evidence };
  const decision = {
    verdict: 'PASS' as const,
    reasons: [],
    warnings: planWarnings(makePlan(plan), false),
  };
  return makeReportInput({ records, plan, input: { decision } });
};

/** Everything that people read, by its name. */
function renderings(evidence: 'session' | undefined): [string, string][] {
  const input = inputOf(evidence);
  const view = reportView(input);
  const comment = commentMarkdown({
    average: null,
    marker: { key: 'default', runId: 1, attempt: 1, head: 'a'.repeat(40), state: 'finished' },
    verdict: view.verdict,
    suites: [{ view, comparison: null, pageUrl: null }],
    runUrl: null,
    artifactUrl: null,
    reportUrl: null,
    unauthenticated: false,
    warnings: [],
    rerun: () => '',
  });
  return [
    ['terminal', terminalReport(view)],
    ['report', renderMarkdown(view)],
    ['page', reportPage(input, NO_CONTEXT)],
    ['summary', summaryMarkdown(view)],
    ['comment', comment],
    ['check', JSON.stringify(checkAnnotations(view))],
    ['junit', [...junitXml(input.records, 'smoke')].join('')],
  ];
}

describe('a run that took the word of its sessions', () => {
  it.each(renderings('session'))('says so in the %s', (_, text) => {
    expect(text).toContain('Session evidence');
  });

  it.each(renderings(undefined))('is the only one that says so in the %s', (_, text) => {
    expect(text).not.toMatch(/session evidence/i);
  });

  it('is named in results.json, and nothing is named where the simulator was asked', () => {
    expect(inputOf('session').results.evidence).toBe('session');
    expect(Object.hasOwn(inputOf(undefined).results, 'evidence')).toBe(false);
  });

  it('is named in the badge', () => {
    // Only what a badge looks at.
    const record = { suite: 'smoke', successes: 1, valid: 2, verdict: 'PASS' } as HistoryRecord;
    expect(badgeOf(record).message).toBe('50.0% PASS');
    expect(badgeOf({ ...record, evidence: 'session' }).message).toBe('50.0% PASS (session evidence)');
  });
});
