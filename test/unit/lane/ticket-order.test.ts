import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOf, type Waiter, yieldsTo } from '../../../src/lane/line.ts';
import { inOrder, nextTicket } from '../../../src/lane/tickets.ts';

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
          expect(namesOf(files.map((name) => ({ name, holder: null })))).toEqual(arrived);
        }
      }),
    );
  });

  it('takes no notice of other files', () => {
    const own = nextTicket(['README', '.x.tmp', '00000000000z-12345678.json'], 'abcdef01');
    expect(own).toBe('000000000001-abcdef01.json');
    expect(inOrder(['notes.txt', own, nextTicket([own], '00000000')])[0]).toBe(own);
  });
});

const purposes = ['schedule', 'adhoc', 'pr', 'release'] as const;
const namesOf = (waiters: readonly Waiter[]): string[] => lineOf(waiters).map(({ name }) => name);

describe('whom a run lets pass', () => {
  it('is a pull request for a scheduled run, and nobody for any other, unless it is named', () => {
    expect(purposes.map((each) => yieldsTo(each, null))).toEqual([['pr'], [], [], []]);
    expect(purposes.map((each) => yieldsTo(each, []))).toEqual([[], [], [], []]);
    expect(purposes.map((each) => yieldsTo(each, ['release', 'pr']))).toEqual([
      ['pr', 'release'],
      ['pr', 'release'],
      ['release'],
      [],
    ]);
  });

  it('is never its own purpose, nor one that lets it pass', () => {
    const purpose = fc.constantFrom(...purposes);
    const named = fc.option(fc.subarray([...purposes]));
    fc.assert(
      fc.property(purpose, named, purpose, named, (one, onesNames, other, othersNames) => {
        const passes = yieldsTo(one, onesNames).includes(other);
        expect(passes && yieldsTo(other, othersNames).includes(one)).toBe(false);
        expect(yieldsTo(one, onesNames)).not.toContain(one);
      }),
    );
  });
});

/** The waiters of a line as `1 pr`, `2 schedule behind 1`; one without a purpose is of an earlier version. */
function waiters(...texts: readonly string[]): Waiter[] {
  return texts.map((text) => {
    const [name = '', word, , ...behind] = text.split(' ');
    const purpose = purposes.find((each) => each === word);
    const who = { runId: name, pid: 1, since: '' };
    const said = purpose === undefined ? {} : { purpose, yieldsTo: [...yieldsTo(purpose, null)] };
    return { name, holder: { ...who, ...said, ...(text.includes('behind') ? { behind } : {}) } };
  });
}

describe('the line before the lane', () => {
  const cases: [string, Waiter[], string][] = [
    ['lets pull requests pass in their order', waiters('1 schedule', '2 schedule', '3 pr', '4 pr'), '3412'],
    ['lets nobody pass who waits behind a release', waiters('1 schedule', '2 release', '3 pr'), '123'],
    ['lets nobody pass an earlier version', waiters('1 schedule', '2', '3 pr'), '123'],
    ['has a nightly where it gave way', waiters('1 pr', '2 schedule', '3 schedule behind 1', '4 pr'), '1342'],
    ['has it first once those are served', waiters('2 schedule', '3 schedule behind 1', '4 pr'), '342'],
    [
      'has several that gave way in any case',
      waiters('1 pr', '2 adhoc behind 1', '3 schedule behind 2'),
      '123',
    ],
  ];
  it.each(cases)('%s', (_what, list, order) => {
    expect(namesOf(list.toReversed()).join('')).toBe(order);
  });

  it('has everybody once, and nobody who came later in front of one that does not let it pass', () => {
    const waiter = fc.record({
      purpose: fc.constantFrom(...purposes),
      named: fc.option(fc.subarray([...purposes])),
      isOld: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(waiter, { maxLength: 12 }), (list) => {
        const all = list.map(({ purpose, named, isOld }, index): Waiter => {
          const who = { runId: 'r', pid: 1, since: '' };
          const holder = isOld ? who : { ...who, purpose, yieldsTo: [...yieldsTo(purpose, named)] };
          return { name: String(index).padStart(12, '0'), holder };
        });
        const line = lineOf(all);
        expect(line.toSorted((left, right) => (left.name < right.name ? -1 : 1))).toEqual(all);
        for (const [at, later] of line.entries())
          for (const earlier of line.slice(at + 1)) {
            if (earlier.name > later.name) continue;
            const purpose = later.holder?.purpose ?? 'adhoc';
            expect(earlier.holder?.yieldsTo).toContain(purpose);
          }
      }),
    );
  });
});
