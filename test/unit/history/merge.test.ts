import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeSegment, encodeSegment } from '../../../src/history/branch-segment.ts';
import type { HistoryRecord } from '../../../src/history/history-record.ts';
import { historyPath, historyText, mergeHistory, parseHistory } from '../../../src/history/merge.ts';
import { historyRecord } from './record.ts';

const record: fc.Arbitrary<HistoryRecord> = fc
  .record({
    run: fc.integer({ min: 0, max: 8 }),
    attempt: fc.integer({ min: 1, max: 2 }),
    second: fc.integer({ min: 0, max: 59 }),
    successes: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ run, attempt, second, successes }) =>
    historyRecord({
      runId: `gh${run}`,
      attempt,
      successes,
      finishedAt: `2026-01-02T03:04:${String(second).padStart(2, '0')}Z`,
    }),
  );
const records = fc.array(record, { maxLength: 12 });
const CAP = 5;
const merge = (left: readonly HistoryRecord[], right: readonly HistoryRecord[]) =>
  mergeHistory(left, right, CAP);

describe('merging histories', () => {
  test('does not depend on who comes first', () => {
    fc.assert(
      fc.property(records, records, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a));
      }),
    );
  });

  test('does not depend on the grouping', () => {
    fc.assert(
      fc.property(records, records, records, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
      }),
    );
  });

  test('twice is once', () => {
    fc.assert(
      fc.property(records, records, (a, b) => {
        const once = merge(a, b);
        expect(merge(once, b)).toEqual(once);
      }),
    );
  });

  test('keeps one record per attempt, in time order, at most the cap, the newest', () => {
    const many = Array.from({ length: 9 }, (_, n) =>
      historyRecord({ runId: `gh${n}`, finishedAt: `2026-01-0${9 - n}T00:00:00Z` }),
    );
    expect(merge(many, many).map(({ runId }) => runId)).toEqual(['gh4', 'gh3', 'gh2', 'gh1', 'gh0']);
  });

  test('times in other notations are compared as times', () => {
    const early = historyRecord({ runId: 'early', finishedAt: '2026-01-02T03:04:05.900Z' });
    const late = historyRecord({ runId: 'late', finishedAt: '2026-01-02T03:04:06Z' });
    expect(merge([late], [early]).map(({ runId }) => runId)).toEqual(['early', 'late']);
  });
});

describe('the history file', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(records, (given) => {
        const merged = merge(given, []);
        expect(parseHistory('h', historyText(merged))).toEqual(merged);
      }),
    );
  });

  const good = historyText([historyRecord()]);
  test.each([
    ['a half line', `${good}${good.slice(0, 40)}`, /RB810 h line 2: is not JSON/],
    ['an empty line in between', `${good}\n${good}`, /RB810 h line 2/],
    ['a merge mark', `<<<<<<< HEAD\n${good}`, /RB810 h line 1: is not JSON/],
    ['a newer schema', good.replace('history/1', 'history/2'), /newer version may have written it/],
    ['an unknown key', good.replace('{', '{"x":1,'), /RB810 h line 1: is not a record/],
    ['a count below zero', good.replace('"planned":100', '"planned":-1'), /RB810 h line 1.*planned/],
    ['a web page', '<html></html>', /RB810 h line 1/],
  ])('with %s is refused with the line', (_name, text, message) => {
    expect(() => parseHistory('h', text)).toThrow(message);
  });

  test('absent or empty it is an empty history', () => {
    expect(parseHistory('h', null)).toEqual([]);
    expect(parseHistory('h', '')).toEqual([]);
  });
});

describe('names as path segments', () => {
  test('come back as they were and are plain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        fc.pre(Buffer.byteLength(name) < 60);
        const segment = encodeSegment(name);
        expect(segment).toMatch(/^[A-Za-z0-9_~-]([A-Za-z0-9._~-]*[A-Za-z0-9_~-])?$/);
        expect(decodeSegment(segment)).toBe(name);
      }),
    );
  });

  test.each([
    ['main', 'main'],
    ['feature/a b', 'feature~2fa~20b'],
    ['..', '~2e~2e'],
    ['.hidden', '~2ehidden'],
    ['a~b', 'a~7eb'],
    ['con', '~63on'],
    ['nul.json', '~6eul.json'],
    ['größer', 'gr~c3~b6~c3~9fer'],
  ])('%s', (name, segment) => {
    expect(encodeSegment(name)).toBe(segment);
    expect(decodeSegment(segment)).toBe(name);
  });

  test('no text that is no segment is decoded', () => {
    for (const text of ['a~zz', 'a~2', '..', 'a/b', 'a~2F', '~41']) expect(decodeSegment(text)).toBeNull();
  });

  test.each([
    ['23 characters of Chinese', '机器人策略评估分支名称过长导致失败的例子一二三'],
    ['the longest branch that git takes on most systems', `feature/${'x/'.repeat(120)}y`],
    ['emoji', '😀'.repeat(60)],
  ])('%s has a segment that a file can have', (_name, name) => {
    const segment = encodeSegment(name);
    expect(segment.length).toBeLessThanOrEqual(200);
    expect(segment).toMatch(/^(?:[A-Za-z0-9._-]|~[0-9a-f]{2})+~~[0-9a-f]{32}$/);
    expect(segment).not.toBe(encodeSegment(`${name}x`));
    expect(decodeSegment(segment)).toBeNull();
  });

  test('every name has a segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(encodeSegment(name).length).toBeLessThanOrEqual(200);
      }),
    );
  });

  test('two branches never share a file', () => {
    expect(historyPath('s', 'a/b')).not.toBe(historyPath('s', 'a~2fb'));
    expect(historyPath('s', 'a/b')).toBe('history/s/a~2fb.jsonl');
  });
});
