import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainLine, FIRST_TIP, readChain } from '../../../src/journal/chain.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';

const AT = '2026-11-29T00:00:00.000Z';

function journalOf(events: readonly JournalEvent[]): string {
  let tip = FIRST_TIP;
  let text = '';
  for (const event of events) {
    const next = chainLine(tip, AT, event);
    text += `${next.line}\n`;
    tip = next.tip;
  }
  return text;
}

const eventArb: fc.Arbitrary<JournalEvent> = fc.oneof(
  fc.record({ type: fc.constant('queued' as const), sessionId: fc.stringMatching(/^[A-Za-z][\w-]{0,40}$/) }),
  fc.record({ type: fc.constant('warning' as const), message: fc.string({ unit: 'binary' }) }),
  fc.record({ type: fc.constant('lost' as const), sessionId: fc.constant('s'), reason: fc.string() }),
);

describe('the journal chain', () => {
  it('reads back what was written', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 12 }), (events) => {
        const reading = readChain(journalOf(events));
        expect(reading).toMatchObject({ fault: null, tornBytes: 0 });
        expect(reading.records.map(({ event }) => event)).toEqual(JSON.parse(JSON.stringify(events)));
      }),
    );
  });

  it('ignores a last line that was cut anywhere, and keeps every record before it', () => {
    const events: JournalEvent[] = [
      { type: 'queued', sessionId: 'a' },
      { type: 'removed', sessionId: 'a' },
    ];
    const text = journalOf(events);
    const firstEnd = text.indexOf('\n') + 1;
    for (let end = firstEnd; end < text.length; end += 1) {
      const reading = readChain(text.slice(0, end));
      expect(reading).toMatchObject({ fault: null, tornBytes: end - firstEnd });
      expect(reading.records).toHaveLength(1);
    }
  });

  it('finds any changed byte before the last line', () => {
    const text = journalOf([
      { type: 'queued', sessionId: 'a' },
      { type: 'warning', message: 'b' },
      { type: 'removed', sessionId: 'a' },
    ]);
    const lastLine = text.lastIndexOf('\n', text.length - 2) + 1;
    fc.assert(
      fc.property(fc.nat({ max: lastLine - 2 }), fc.constantFrom('x', '1', ' '), (at, other) => {
        fc.pre(text[at] !== other && text[at] !== '\n');
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        expect(readChain(changed).fault).not.toBeNull();
      }),
    );
  });

  it('finds a line that was taken out or put elsewhere', () => {
    const lines = journalOf([
      { type: 'queued', sessionId: 'a' },
      { type: 'queued', sessionId: 'b' },
      { type: 'queued', sessionId: 'c' },
    ])
      .trimEnd()
      .split('\n');
    expect(readChain(`${lines[0]}\n${lines[2]}\n`).fault).toContain('line 2');
    expect(readChain(`${lines[1]}\n${lines[0]}\n`).fault).toContain('line 1');
  });
});
