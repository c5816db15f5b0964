import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clopperPearson,
  jeffreys,
  uniformPosterior,
  zeroFailureBound,
} from '../../../src/stats/beta-intervals.ts';
import { confidenceSequence, rateEValue } from '../../../src/stats/e-values.ts';
import { wilson } from '../../../src/stats/wilson.ts';
import { expectInterval, expectPrinted } from './printed.ts';

/** k, n, Wilson 95 %, Clopper–Pearson 95 %, Jeffreys 95 %, Wilson 90 %. */
const REFERENCE: readonly (readonly [number, number, string, string, string, string])[] = [
  [0, 1, '0 .7934506856', '0 .9750000000', '0 .8532536837', '0 .7301340512'],
  [0, 50, '0 .07134759913', '0 .07112173646', '0 .04875845944', '0 .05133318579'],
  [50, 50, '.9286524009 1', '.9288782635 1', '.9512415406 1', '.9486668142 1'],
  [
    4,
    40,
    '.03957952868 .2305177523',
    '.02792541529 .2366373999',
    '.03470675598 .2204484868',
    '.04569217425 .2049905847',
  ],
  [
    9,
    10,
    '.5958499732 .9821237869',
    '.5549838830 .9974714215',
    '.6186852289 .9889883262',
    '.6522813327 .9773650913',
  ],
  [
    42,
    50,
    '.7148578394 .9166257932',
    '.7088736934 .9282992328',
    '.7206736695 .9213325160',
    '.7376715305 .9074219032',
  ],
  [
    44,
    50,
    '.7619518262 .9438239985',
    '.7568986833 .9546646792',
    '.7692894858 .9483257755',
    '.7843271746 .9366596042',
  ],
  [63, 100, '.5322052958 .7181763947', '.5276483594 .7244334204', '', ''],
  [
    463,
    500,
    '.8996652467 .9458388152',
    '.8994411253 .9473648915',
    '.9005762418 .9465126559',
    '.9043669032 .9430476630',
  ],
  [
    463,
    470,
    '.9695799859 .9927672117',
    '.9695553204 .9939915752',
    '.9709819446 .9933141182',
    '.9727547125 .9919050134',
  ],
  [
    486,
    500,
    '.9535535973 .9832490253',
    '.9534666730 .9846093993',
    '.9547057560 .9838640456',
    '.9570932820 .9818261434',
  ],
  [
    1934,
    2000,
    '.9582322305 .9739772473',
    '.9582054542 .9743877762',
    '.9584835807 .9741667371',
    '.9597730493 .9729651688',
  ],
];

describe('one proportion, reference values', () => {
  test.each(REFERENCE)('%i of %i', (...[k, n, wilson95, clopper, jeffreys95, wilson90]) => {
    expectInterval(wilson(k, n), wilson95);
    expectInterval(clopperPearson(k, n), clopper);
    if (jeffreys95 !== '') expectInterval(jeffreys(k, n), jeffreys95);
    if (wilson90 !== '') expectInterval(wilson(k, n, 0.9), wilson90);
  });

  test('uniform posterior', () => {
    const posterior = uniformPosterior(486, 500);
    expectPrinted(posterior.mean, '.9701195219');
    expectInterval(posterior.interval, '.9535586654 .9831479123');
    expectPrinted(uniformPosterior(0, 50).mean, '.01923076923');
    expectPrinted(uniformPosterior(0, 50).interval.high, '.06977703075');
    // One standard deviation is not a 95 % interval: a published card mixed them up.
    expectInterval(uniformPosterior(319, 500, 0.68269).interval, '.6159959849 .6589039704');
    expectInterval(wilson(319, 500), '.5949717262 .6789239558');
  });

  test.each([
    [10, '.25886555'],
    [50, '.058155079'],
    [100, '.02951305'],
    [500, '.0059735515'],
  ])('upper bound after %i episodes without a failure', (n, printed) => {
    expectPrinted(zeroFailureBound(n), printed);
  });

  test.each([
    [9, 10, '.454881747 .999543583'],
    [45, 50, '.712339535 .984341445'],
    [0, 50, '0 .129381289'],
    [463, 500, '.876331568 .961006144'],
    [486, 500, '.935291718 .991452848'],
  ])('confidence sequence %i of %i', (k, n, printed) => {
    expectInterval(confidenceSequence(k, n), printed);
  });

  test('e-values of a rate', () => {
    expectPrinted(rateEValue(463, 500, 0.95), '.418970572');
    expectPrinted(rateEValue(486, 500, 0.95), '.376271264');
    expectPrinted(rateEValue(0, 5, 0.9), '16666.6667');
  });

  test('thresholds as lower bounds', () => {
    expectPrinted(wilson(45, 50, 0.9)?.low, '.8084624858');
    expectPrinted(wilson(49, 50, 0.9)?.low, '.9151947058');
    expectPrinted(wilson(95, 100, 0.9)?.low, '.9008389147');
    expectPrinted(wilson(462, 500, 0.9)?.low, '.9021438192');
    expectPrinted(wilson(461, 500, 0.9)?.low, '.8999245773');
    expectPrinted(wilson(484, 500, 0.9)?.low, '.9523261698');
    expectPrinted(wilson(483, 500, 0.9)?.low, '.9499622119');
    expectPrinted(wilson(1917, 2000, 0.9)?.low, '.9505238817');
    expectInterval(wilson(465, 500), '.90420281 .94924026');
  });
});

const counts = fc
  .integer({ min: 1, max: 3000 })
  .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));

describe.each([
  ['wilson', wilson],
  ['clopperPearson', clopperPearson],
  ['jeffreys', jeffreys],
  ['confidenceSequence', confidenceSequence],
] as const)('%s', (_name, interval) => {
  test('lies in [0, 1] around the estimate', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const { low, high } = interval(k, n) ?? { low: Number.NaN, high: Number.NaN };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(k / n + 1e-12);
        expect(high).toBeGreaterThanOrEqual(k / n - 1e-12);
      }),
      { numRuns: 25 },
    );
  });

  test('mirrors when successes and failures change places', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const one = interval(k, n);
        const other = interval(n - k, n);
        expect(one?.low).toBeCloseTo(1 - (other?.high ?? Number.NaN), 9);
        expect(one?.high).toBeCloseTo(1 - (other?.low ?? Number.NaN), 9);
      }),
      { numRuns: 25 },
    );
  });

  test('rises with every success and is exact at the ends', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        fc.pre(k < n);
        expect(interval(k + 1, n)?.low).toBeGreaterThan(interval(k, n)?.low ?? Number.NaN);
        expect(interval(k + 1, n)?.high).toBeGreaterThan(interval(k, n)?.high ?? Number.NaN);
        expect(interval(0, n)?.low).toBe(0);
        expect(interval(n, n)?.high).toBe(1);
      }),
      { numRuns: 25 },
    );
  });

  test('no episodes have no interval, and impossible counts are refused', () => {
    expect(interval(0, 0)).toBeNull();
    expect(() => interval(3, 2)).toThrow(RangeError);
    expect(() => interval(-1, 2)).toThrow(RangeError);
    expect(() => interval(0.5, 2)).toThrow(RangeError);
  });
});

test.each([0, 1, 1.5, Number.NaN])('a level of %f is refused', (level) => {
  expect(() => wilson(1, 2, level)).toThrow(/level/);
});
