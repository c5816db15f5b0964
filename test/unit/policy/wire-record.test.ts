import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WhyNot } from '../../../src/base/why-not.ts';
import { LISTED_EVENTS, LISTED_LATENCIES, parseRecording } from '../../../src/model/policy-recording.ts';
import { type PolicyIdentity, readMetadata } from '../../../src/policy/metadata.ts';
import { WireRecord } from '../../../src/policy/wire-record.ts';

function identityOf(metadata: Record<string, unknown>): PolicyIdentity {
  const identity = readMetadata(encode(metadata));
  if (identity instanceof WhyNot) throw new Error(identity.why);
  return identity;
}

const BEFORE = identityOf({ checkpoint: 'a', timestamp: 1 });
const BYTES = new Uint8Array([1, 2, 3]);

describe('the record of what passed', () => {
  it('takes the first message for metadata and compares it with the one before the run', () => {
    const record = new WireRecord('s', BEFORE);
    record.answer(record.connected(), encode({ checkpoint: 'a', timestamp: 2 }), { isText: false, nowMs: 0 });
    expect(record.recording()).toMatchObject({
      answers: 0,
      metadata: { digest: BEFORE.digest, sameAsBefore: true },
    });
  });

  it('never forgets that another policy answered once', () => {
    const record = new WireRecord('s', BEFORE);
    for (const checkpoint of ['a', 'b', 'a'])
      record.answer(record.connected(), encode({ checkpoint }), { isText: false, nowMs: 0 });
    expect(record.recording()).toMatchObject({ connections: 3, metadata: { sameAsBefore: false } });
  });

  it('cannot tell a policy that says nothing about itself', () => {
    const record = new WireRecord('s', identityOf({}));
    record.answer(record.connected(), encode({}), { isText: false, nowMs: 0 });
    expect(record.recording().metadata).toMatchObject({ digest: null, sameAsBefore: null });
  });

  it('says so when the metadata is none, and counts an answer before any metadata as an answer', () => {
    const record = new WireRecord('s', BEFORE);
    record.answer(record.connected(), Buffer.from('nope'), { isText: true, nowMs: 0 });
    record.answer(record.connected(), new Uint8Array([0xc1]), { isText: false, nowMs: 0 });
    const asked = record.connected();
    record.request(asked, BYTES, 5);
    record.answer(asked, BYTES, { isText: false, nowMs: 9 });
    const { faults, answers, metadata, latenciesMs } = record.recording();
    expect(faults.map(({ at }) => at)).toEqual(['policy', 'policy']);
    expect({ answers, metadata, latenciesMs }).toEqual({ answers: 1, metadata: null, latenciesMs: [4] });
  });

  it('measures nothing of a call without an answer, and null is not 0', () => {
    const record = new WireRecord('s', BEFORE);
    record.request(record.connected(), BYTES, 1);
    expect(record.recording()).toMatchObject({ calls: 1, answers: 0, latencyMs: null, latenciesMs: [] });
  });

  it('stays small whatever passes', () => {
    const record = new WireRecord('s', BEFORE);
    const connection = record.connected();
    for (let index = 0; index < LISTED_LATENCIES + 10; index += 1) {
      record.request(connection, BYTES, index);
      record.answer(connection, BYTES, { isText: index % 2 === 0, nowMs: index + 0.123_456 });
      record.fault('policy', 'x'.repeat(5000));
      record.closed('runtime', 1000);
    }
    const recording = record.recording();
    expect(recording.latencyMs?.n).toBe(LISTED_LATENCIES + 10);
    expect(recording.latenciesMs.length).toBe(LISTED_LATENCIES);
    expect([recording.faults.length, recording.closes.length]).toEqual([LISTED_EVENTS, LISTED_EVENTS]);
    expect(parseRecording(JSON.stringify(recording), 's')).toEqual(recording);
  });

  it('gives another chain for other messages, another order or another direction', () => {
    const message = fc.tuple(fc.constantFrom('>', '<'), fc.uint8Array({ maxLength: 20 }));
    const chainOf = (messages: readonly (readonly [string, Uint8Array])[]): string => {
      const record = new WireRecord('s', BEFORE);
      const connection = record.connected();
      for (const [way, bytes] of messages) {
        if (way === '>') record.request(connection, bytes, 0);
        else record.answer(connection, bytes, { isText: false, nowMs: 0 });
      }
      return record.recording().chain;
    };
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(message, { maxLength: 6 }), (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(chainOf(left) === chainOf(right)).toBe(same);
      }),
    );
  });

  it('is no recording of another session, nor of half a file', () => {
    const text = JSON.stringify(new WireRecord('s', BEFORE).recording());
    expect(parseRecording(text, 'other')).toBe(null);
    expect(parseRecording(text.slice(0, -5), 's')).toBe(null);
    expect(parseRecording(text.replace('"calls":0', '"calls":-1'), 's')).toBe(null);
    expect(parseRecording(null, 's')).toBe(null);
  });
});
