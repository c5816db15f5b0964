import { HISTORY_SCHEMA_ID, type HistoryRecord } from '../../../src/history/history-record.ts';

/** A complete record; tests change what they are about. */
export function historyRecord(changes: Partial<HistoryRecord> = {}): HistoryRecord {
  return {
    schema: HISTORY_SCHEMA_ID,
    runId: 'gh1-bench-libero_spatial',
    attempt: 1,
    benchmark: 'libero',
    suite: 'libero_spatial',
    branch: 'main',
    commit: '0123456789abcdef0123456789abcdef01234567',
    event: 'push',
    pullRequest: null,
    purpose: 'schedule',
    finishedAt: '2026-01-02T03:04:05Z',
    verdict: 'PASS',
    planDigest: 'a'.repeat(64),
    bundleSha256: 'b'.repeat(64),
    policy: 'pi05',
    target: 'libero-sim',
    skillruntime: 'openpi',
    simulator: null,
    planned: 100,
    recorded: 100,
    valid: 100,
    successes: 93,
    rate: 0.93,
    low: 0.862,
    high: 0.966,
    errors: 0,
    timedOut: 0,
    meanStepsSuccessful: 101.5,
    runUrl: null,
    tasks: [{ taskId: 0, language: 'pick up the bowl', successes: 93, valid: 100, planned: 100 }],
    ...changes,
  };
}
