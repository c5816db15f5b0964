import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainLine, FIRST_TIP, readChain } from '../../../src/journal/chain.ts';
import type { Outcome } from '../../../src/model/episode-record.ts';
import { episodeRecordSchema } from '../../../src/model/episode-record.ts';
import type { JournalEvent, JournalRecord } from '../../../src/model/journal-events.ts';
import {
  buildRecords,
  type JudgedSession,
  judgeSession,
  type SessionRef,
  sessionsOf,
} from '../../../src/outcome/build-records.ts';
import { makePlan } from './plan-builder.ts';

const cells = [0, 1, 2].map((taskId) => ({ taskId, initStateId: 0, runIndex: 0, arm: 'candidate' as const }));
const plan = makePlan({ tasks: cells.map(({ taskId }) => ({ taskId, language: `task ${taskId}` })), cells });

function journalOf(events: readonly JournalEvent[]): readonly JournalRecord[] {
  let tip = FIRST_TIP;
  const lines: string[] = [];
  for (const event of events) {
    const next = chainLine(tip, '2026-11-29T13:00:00.000Z', event);
    lines.push(`${next.line}\n`);
    tip = next.tip;
  }
  return readChain(lines.join('')).records;
}

const intent = (sessionId: string, position: number, sessionAttempt = 0): JournalEvent => ({
  type: 'intent',
  sessionId,
  position,
  sessionAttempt,
  cellTarget: 'x--rb-00000000',
  cell: cells[position] ?? { taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' },
});

const collected = (sessionId: string): JournalEvent => ({
  type: 'collected',
  sessionId,
  outcome: 'success',
  errorCode: null,
  errorMessage: null,
  files: [],
  omitted: [{ name: 'episode.json', reason: 'it is a link' }],
  startedAt: '2026-11-29T13:00:00.000Z',
  finishedAt: '2026-11-29T13:00:05.000Z',
  durationMs: 5000,
});

describe('sessionsOf', () => {
  it('keeps collected sessions and what the journal knows about them', () => {
    const found = sessionsOf(journalOf([intent('a', 1), { type: 'queued', sessionId: 'a' }, collected('a')]));
    expect(found).toEqual([
      {
        sessionId: 'a',
        position: 1,
        attempt: 0,
        closed: 'collected',
        reason: null,
        omitted: [{ name: 'episode.json', reason: 'it is a link' }],
        verifier: null,
        replanOf: null,
        cellTarget: 'x--rb-00000000',
        startedAt: '2026-11-29T13:00:00.000Z',
        finishedAt: '2026-11-29T13:00:05.000Z',
        durationMs: 5000,
      },
    ]);
  });

  it('drops what was discarded before it was collected, and ignores a discard afterwards', () => {
    const gone: JournalEvent = { type: 'discarded', sessionId: 'a', reason: 'never queued' };
    expect(sessionsOf(journalOf([intent('a', 0), gone]))).toEqual([]);
    expect(sessionsOf(journalOf([intent('a', 0), collected('a'), gone]))[0]?.closed).toBe('collected');
  });

  it('never turns a conflict into evidence', () => {
    const conflict: JournalEvent = { type: 'conflict', sessionId: 'a', reason: 'archive differs' };
    for (const order of [
      [conflict, collected('a')],
      [collected('a'), conflict],
    ]) {
      expect(sessionsOf(journalOf([intent('a', 0), ...order]))[0]?.closed).toBe('conflict');
    }
  });

  it('does not count sessions of others or the primer', () => {
    expect(
      sessionsOf(journalOf([{ type: 'primer', sessionId: 'p', status: 'succeeded', suite: 's' }])),
    ).toEqual([]);
  });
});

const ref = (position: number, attempt: number, closed: SessionRef['closed'] = 'collected'): SessionRef => ({
  sessionId: `s${position}-${attempt}`,
  position,
  attempt,
  closed,
  reason: closed === 'collected' ? null : 'because',
  verifier: null,
  replanOf: null,
  omitted: [],
  cellTarget: 'mine--rb-00000000',
  startedAt: null,
  finishedAt: null,
  durationMs: attempt * 100,
});

function judged(position: number, attempt: number, outcome: Outcome): JudgedSession {
  const { found } = judgeSession(plan, ref(position, attempt, 'open'), null);
  const success = outcome === 'success' ? true : outcome === 'failure' ? false : null;
  return { session: ref(position, attempt), found: { ...found, outcome, success, notes: [] } };
}

describe('judgeSession', () => {
  it.each([
    ['lost', 'lost', 'SESSION_LOST'],
    ['conflict', 'conflict', null],
    ['cancelled', 'cancelled', null],
    ['open', 'not_run', null],
  ] as const)('takes the journal word for a session that is %s', (closed, outcome, code) => {
    const { found } = judgeSession(plan, ref(0, 0, closed), null);
    expect(found).toMatchObject({ outcome, errorCode: code, errorMessage: 'because', success: null });
  });
});

describe('buildRecords', () => {
  it('gives every planned cell a record, in planned order, not_run without a session', () => {
    const records = buildRecords(plan, [judged(2, 0, 'success')]);
    expect(records.map((record) => [record.taskId, record.outcome])).toEqual([
      [0, 'not_run'],
      [1, 'not_run'],
      [2, 'success'],
    ]);
    for (const record of records) expect(() => episodeRecordSchema.parse(record)).not.toThrow();
  });

  it('covers only the cells of a shard', () => {
    const records = buildRecords(plan, [judged(2, 0, 'success'), judged(0, 0, 'success')], [1, 2]);
    expect(records.map((record) => [record.position, record.outcome])).toEqual([
      [1, 'not_run'],
      [2, 'success'],
    ]);
  });

  it('keeps the errors that came before a result', () => {
    const [record] = buildRecords(plan, [judged(0, 1, 'success'), judged(0, 0, 'error')]);
    expect(record).toMatchObject({ outcome: 'success', sessionId: 's0-1', durationMs: 100 });
    expect(record?.attempts.map((attempt) => attempt.outcome)).toEqual(['error', 'success']);
  });

  it('never prefers a later success to an earlier failure', () => {
    const [record] = buildRecords(plan, [judged(0, 0, 'failure'), judged(0, 1, 'success')]);
    expect(record).toMatchObject({ outcome: 'failure', success: false });
    expect(record?.notes).toEqual(['2 sessions of t0-i0-r0-candidate finished; the first counts']);
  });

  it('takes the last try when nothing settled', () => {
    const [record] = buildRecords(plan, [
      judged(0, 0, 'error'),
      judged(0, 1, 'lost'),
      judged(0, 2, 'not_run'),
    ]);
    expect(record?.outcome).toBe('lost');
  });

  it('does not depend on the order of the sessions', () => {
    const all = [
      judged(0, 0, 'error'),
      judged(0, 1, 'failure'),
      judged(1, 0, 'success'),
      judged(2, 0, 'lost'),
    ];
    const expected = JSON.stringify(buildRecords(plan, all));
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(JSON.stringify(buildRecords(plan, shuffled))).toBe(expected);
      }),
    );
  });
});
