import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOf, snapshotOf } from '../../../src/app/inventory/page.ts';
import { inventoryText } from '../../../src/app/inventory.ts';
import type { AttemptEntry, RunEntry, Scan } from '../../../src/job/runs/run-entry.ts';

const sealed: AttemptEntry = {
  attempt: 1,
  state: 'sealed',
  ending: null,
  suite: 'libero_goal',
  evidenceClass: 'planned',
  resultsProblem: null,
  arms: [{ arm: 'candidate', planned: 10, recorded: 10, valid: 9, successes: 7 }],
  report: { path: 'r0/attempt-1/BENCHMARK_REPORT_libero_goal_r0.md', bytes: 10, modifiedMs: 1 },
  manifestSha256: 'a'.repeat(64),
  sealValid: null,
  bytes: 1234,
  quarantine: false,
  rawRemoved: false,
  modifiedAt: '2026-11-29T16:00:00.000Z',
  files: [{ path: 'r0/attempt-1/manifest.json', bytes: 10, modifiedMs: 1 }],
};
const bare: AttemptEntry = {
  ...sealed,
  state: 'interrupted',
  arms: null,
  report: null,
  manifestSha256: null,
};

function scanOf(runs: readonly RunEntry[]): Scan {
  return { rootId: '0123456789ab', scanned: runs.length + 3, runs, rejected: [] };
}
const many = (count: number): Scan =>
  scanOf(Array.from({ length: count }, (_, at) => ({ runId: `r${at}`, attempts: [sealed] })));

function allPages(scan: Scan, limit: number): RunEntry[] {
  const runs: RunEntry[] = [];
  for (let token: string | null = null; ; ) {
    const page = pageOf(scan, { limit, pageToken: token });
    expect(page.runs.length).toBeLessThanOrEqual(limit);
    expect(page.offset + page.runs.length + page.omittedAfter).toBe(page.matched);
    runs.push(...page.runs);
    token = page.nextPageToken;
    if (token === null) return runs;
  }
}

describe('pages of an inventory', () => {
  it('give every run exactly once, whatever their size', () => {
    fc.assert(
      fc.property(fc.nat(70), fc.integer({ min: 1, max: 30 }), (count, limit) => {
        const scan = many(count);
        expect(allPages(scan, limit)).toEqual(scan.runs);
      }),
    );
  });

  it('do not continue an inventory that has changed', () => {
    const token = pageOf(many(3), { limit: 1, pageToken: null }).nextPageToken;
    expect(() => pageOf(many(4), { limit: 1, pageToken: token })).toThrow(/RB522/);
  });

  it.each(['', 'x', '9', Buffer.from(`0 ${'a'.repeat(63)}`).toString('base64url')])(
    'refuse %j as a token',
    (pageToken) => {
      expect(() => pageOf(many(3), { limit: 1, pageToken })).toThrow(/RB521/);
    },
  );

  it('know a sealed attempt by its manifest and another by its times', () => {
    const withAttempt = (attempt: AttemptEntry): string =>
      snapshotOf(scanOf([{ runId: 'r0', attempts: [attempt] }]));
    const later = [{ path: 'r0/attempt-1/manifest.json', bytes: 10, modifiedMs: 2 }];
    expect(withAttempt({ ...sealed, files: later })).toBe(withAttempt(sealed));
    expect(withAttempt({ ...sealed, manifestSha256: 'b'.repeat(64) })).not.toBe(withAttempt(sealed));
    expect(withAttempt({ ...bare, files: later })).not.toBe(withAttempt(bare));
  });

  it('tell none, without report and could not look apart', () => {
    const textOf = (scan: Scan): string => inventoryText(pageOf(scan, { limit: 9, pageToken: null }));
    expect(textOf(scanOf([]))).toContain('No run is here.');
    const without = textOf(scanOf([{ runId: 'r0', attempts: [bare] }]));
    expect(without).toContain('attempt 1, interrupted, libero_goal, no results, without report');
    expect(without).not.toContain('No run is here');
    const rejected = { ...scanOf([]), rejected: [{ path: 'x', reason: 'a link or special file' }] };
    expect(textOf(rejected)).toContain('Could not be looked into');
    expect(pageOf(rejected, { limit: 9, pageToken: null }).complete).toBe(false);
  });
});
