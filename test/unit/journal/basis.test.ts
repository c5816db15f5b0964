import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basisOf } from '../../../src/journal/basis.ts';
import { ChainReader, chainLine, FIRST_TIP } from '../../../src/journal/chain.ts';
import type { ArchivedFile, JournalEvent, OmittedFile } from '../../../src/model/journal-events.ts';
import { sessionsOf } from '../../../src/outcome/build-records.ts';
import { unattributedOf } from '../../../src/outcome/unattributed.ts';

const AT = '2026-11-29T00:00:00.000Z';
const sessionId = fc.constantFrom('a', 'b', 'c');
const reason = fc.string({ maxLength: 4 });
const sha256 = 'e'.repeat(64);

const eventArb: fc.Arbitrary<JournalEvent> = fc.oneof(
  fc.record({
    type: fc.constant('intent' as const),
    sessionId,
    position: fc.nat({ max: 5 }),
    sessionAttempt: fc.nat({ max: 2 }),
    cellTarget: fc.constant('t--rb-1'),
    cell: fc.constant({ taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' as const }),
  }),
  fc.record({
    type: fc.constant('collected' as const),
    sessionId,
    outcome: fc.constantFrom('success' as const, 'failure' as const),
    errorCode: fc.constant(null),
    errorMessage: fc.constant(null),
    files: fc.constant<ArchivedFile[]>([{ name: 'log.yaml', bytes: 3, sha256 }]),
    omitted: fc.constant<OmittedFile[]>([{ name: 'episode.json', reason: 'absent' }]),
    startedAt: fc.constant(AT),
    finishedAt: fc.constant(AT),
    durationMs: fc.nat(),
  }),
  fc.record({ type: fc.constant('queued' as const), sessionId }),
  fc.record({ type: fc.constant('removed' as const), sessionId }),
  fc.record({ type: fc.constant('running' as const), sessionId, updatedAt: fc.constant(null) }),
  fc.record({
    type: fc.constant('terminal' as const),
    sessionId,
    status: fc.constant('failed'),
    updatedAt: fc.constant(null),
  }),
  fc.record({ type: fc.constantFrom('discarded' as const, 'unattributed' as const), sessionId, reason }),
  fc.record({ type: fc.constantFrom('lost' as const, 'conflict' as const), sessionId, reason }),
  fc.record({ type: fc.constant('warning' as const), message: reason }),
);

/** The journal of these events, read; `whole` gets every event as it passes. */
function read(events: readonly JournalEvent[], fold: boolean, whole: JournalEvent[] = []) {
  const reader = new ChainReader((record) => {
    whole.push(record.event);
    return fold ? basisOf(record) : record;
  });
  let tip = FIRST_TIP;
  for (const event of events) {
    const next = chainLine(tip, AT, event);
    reader.add(next.line);
    tip = next.tip;
  }
  return reader.end('');
}

describe('the basis of a journal', () => {
  it('gives the same sessions as the whole journal, and the same chain', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 30 }), (events) => {
        const passed: JournalEvent[] = [];
        const [all, folded] = [read(events, false), read(events, true, passed)];
        expect(sessionsOf(folded.records)).toEqual(sessionsOf(all.records));
        expect(unattributedOf(folded.records)).toEqual(unattributedOf(all.records));
        expect({ ...folded, records: [] }).toEqual({ ...all, records: [] });
        expect(passed).toEqual(events);
      }),
    );
  });

  it('keeps neither steps on the way nor hashes of archived files', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 30 }), (events) => {
        const text = JSON.stringify(read(events, true).records);
        expect(text).not.toMatch(/"(?:queued|running|terminal|removed)"/);
        expect(text).not.toContain(sha256);
      }),
    );
  });
});
