import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inFront, inOrder, nextTicket } from '../../../src/lane/tickets.ts';

const letters = (seed: number): string => (seed >>> 0).toString(16).padStart(8, '0');

/** Somebody comes (with letters of any order), or one of those who wait leaves: the first, or one that died. */
const happenings = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('comes' as const), seed: fc.integer() }),
    fc.record({ kind: fc.constant('leaves' as const), which: fc.nat() }),
  ),
  { maxLength: 60 },
);

describe('the order of tickets', () => {
  it('is that of arrival, whoever leaves meanwhile', () => {
    fc.assert(
      fc.property(happenings, (list) => {
        const arrived: string[] = [];
        for (const happening of list) {
          if (happening.kind === 'comes') arrived.push(nextTicket(arrived, letters(happening.seed)));
          else if (arrived.length > 0) arrived.splice(happening.which % arrived.length, 1);
          // The folder lists its files in any order.
          const files = arrived.toReversed();
          expect(inOrder(files)).toEqual(arrived);
          for (const [index, name] of arrived.entries()) {
            expect(inFront(files, name)).toEqual(arrived.slice(0, index).toReversed());
          }
        }
      }),
    );
  });

  it('takes no notice of other files', () => {
    const own = nextTicket(['README', '.x.tmp', '00000000000z-12345678.json'], 'abcdef01');
    expect(own).toBe('000000000001-abcdef01.json');
    expect(inFront(['notes.txt', own], nextTicket([own], '00000000'))).toEqual([own]);
  });
});
