import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notInferiorEValue, worseEValue } from '../../../src/stats/e-values.ts';
import { benjaminiHochberg, holm } from '../../../src/stats/holm.ts';
import { macroDifference } from '../../../src/stats/macro-difference.ts';
import { mcnemar } from '../../../src/stats/mcnemar.ts';
import { newcombePaired } from '../../../src/stats/newcombe.ts';
import { effectiveEpisodes, signFlip, stateDifferences } from '../../../src/stats/seeds.ts';
import { nonInferiorityP, tango } from '../../../src/stats/tango.ts';
import { expectInterval, expectPrinted } from './printed.ts';

describe('McNemar, reference values', () => {
  test.each([
    [0, 0, '1', '1', '1', '.5', '.5'],
    [3, 0, '.25', '.125', '.125', '.0625', '.9375'],
    [4, 0, '.125', '.0625', '.0625', '.03125', '.96875'],
    [5, 0, '.0625', '.03125', '.03125', '.015625', '.984375'],
    [6, 0, '.03125', '.015625', '.015625', '.0078125', '.9921875'],
    [3, 3, '1', '1', '.65625', '.5', '.5'],
    [8, 3, '.2265625', '.1459960938', '.1132812500', '.07299804688', '.9270019531'],
    [10, 4, '.1795654297', '.1184692383', '.08978271484', '.05923461914', '.9407653809'],
    [25, 5, '.0003249142318', '.0001921951771', '.0001624571159', '9.609758854e-5', '.9999039024'],
    [21, 13, '.2294810130', '.1754652490', '.1147405065', '.08773262450', '.9122673755'],
    [9, 13, '.5234670639', '.4048728943', '.8568606377', '.7975635529', '.2024364471'],
    [20, 18, '.8714146794', '.7492586248', '.4357073397', '.3746293124', '.6253706876'],
    [37, 14, '.001769197184', '.001195120320', '.0008845985919', '.0005975601600', '.9994024398'],
    [36, 9, '6.574663246e-5', '4.056036133e-5', '3.287331623e-5', '2.028018066e-5', '.9999797198'],
    [42, 0, '4.547473509e-13', '2.273736754e-13', '2.273736754e-13', '1.136868377e-13', '1'],
  ])('%i regressions, %i fixes', (...[regressed, fixed, exact, midP, exactWorse, midPWorse, pWorse]) => {
    const result = mcnemar(regressed, fixed);
    expectPrinted(result.exact, exact);
    expectPrinted(result.midP, midP);
    expectPrinted(result.exactWorse, exactWorse);
    expectPrinted(result.midPWorse, midPWorse);
    expectPrinted(result.pWorse, pWorse === '1' ? '1.000000000' : pWorse);
  });

  test('(104, 33), where the corrected chi-square is off', () => {
    expectPrinted(mcnemar(104, 33).exact, '9.310987343e-10');
  });

  test('swapping the arms turns "worse" into "better"', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.nat(400), (r, f) => {
        const one = mcnemar(r, f);
        const other = mcnemar(f, r);
        expect(one.exact).toBeCloseTo(other.exact, 10);
        expect(one.midPWorse + other.midPWorse).toBeCloseTo(1, 10);
        expect(one.midPWorse).toBeLessThanOrEqual(one.exactWorse);
      }),
    );
  });
});

/** both, fixed, regressed, neither, Δ, Tango 95 %, Tango 90 %, Newcombe 95 %, one-sided p at 5 and at 2 points. */
const PAIRED: readonly (readonly [number[], string, string, string, string, string, string])[] = [
  [
    [36, 12, 2, 0],
    '.2',
    '.0611124062 .344708748',
    '.0854743825 .320413386',
    '.0569295840 .340427603',
    '6.94682635e-4',
    '.00194461524',
  ],
  [
    [20, 12, 2, 16],
    '.2',
    '.0611124062 .344708748',
    '.0854743825 .320413386',
    '.0618047582 .324162293',
    '6.94682635e-4',
    '.00194461524',
  ],
  [
    [449, 14, 37, 0],
    '-.046',
    '-.0755422547 -.0187160738',
    '-.0704862050 -.0231471451',
    '-.0751287961 -.0182697808',
    '.389330804',
    '.969197444',
  ],
  [
    [460, 5, 25, 10],
    '-.04',
    '-.0639714552 -.0199417953',
    '-.0596848391 -.0231586101',
    '-.0635416228 -.0193027418',
    '.189690744',
    '.974668799',
  ],
  [
    [477, 13, 9, 1],
    '.008',
    '-.0112325 .0282438812',
    '-.00786158654 .0246118070',
    '-.0113165802 .0280539525',
    '1.36074707e-6',
    '.00339679417',
  ],
  [
    [483, 3, 3, 11],
    '0',
    '-.0122034866 .0122034866',
    '-.00965409407 .00965409407',
    '-.0119705608 .0119705608',
    '6.79327364e-7',
    '.00294163585',
  ],
  [
    [454, 36, 9, 1],
    '.054',
    '.0290640898 .0821583341',
    '.0330555194 .0772722309',
    '.0284274242 .0817406338',
    '2.03637921e-11',
    '',
  ],
  [
    [461, 20, 18, 1],
    '.004',
    '-.0210206877 .0292965599',
    '-.0167718608 .0249732237',
    '-.0209786384 .0291620326',
    '5.83845952e-5',
    '.0297050765',
  ],
  [
    [49, 14, 14, 23],
    '0',
    '-.1065059299 .1065059299',
    '-.0887445652 .0887445652',
    '-.102228623 .102228623',
    '.173972012',
    '.352884885',
  ],
  [
    [42, 13, 21, 24],
    '-.08',
    '-.1947027733 .0353602586',
    '-.1759446482 .0162966751',
    '-.189669361 .0329387816',
    '.698010539',
    '.849242215',
  ],
  [[170, 14, 14, 2], '0', '-.05425653448 .05425653448', '-.04496452659 .04496452659', '', '', ''],
  [[1930, 15, 40, 15], '-.0125', '-.02032917354 -.005428567209', '-.01897376200 -.006569711627', '', '', ''],
  [
    [50, 0, 0, 0],
    '0',
    '-.0713475991 .0713475991',
    '-.0513331858 .0513331858',
    '-.0713475991 .0713475991',
    '.0523787449',
    '.156211106',
  ],
  [
    [500, 0, 0, 0],
    '0',
    '-.00762434046 .00762434046',
    '-.00538196463 .00538196463',
    '-.00762434046 .00762434046',
    '1.44954414e-7',
    '7.00650790e-4',
  ],
  [[0, 50, 0, 0], '1', '.857304802 1', '.897333628 1', '.899099258 1', '', ''],
  [[4, 0, 1, 0], '-.2', '-.6244653702 .3213789577', '-.5647074466 .2213398009', '', '', ''],
];

describe('paired difference, reference values', () => {
  test.each(PAIRED)('%j', (...[cells, delta, tango95, tango90, newcombe, p5, p2]) => {
    const [both = 0, fixed = 0, regressed = 0, neither = 0] = cells;
    const counts = { n: both + fixed + regressed + neither, fixed, regressed };
    expectPrinted((fixed - regressed) / counts.n, delta);
    expectInterval(tango(counts), tango95);
    expectInterval(tango(counts, 0.9), tango90);
    if (newcombe !== '') expectInterval(newcombePaired({ both, fixed, regressed, neither }), newcombe);
    if (p5 !== '') expectPrinted(nonInferiorityP(counts, 0.05), p5);
    if (p2 !== '') expectPrinted(nonInferiorityP(counts, 0.02), p2);
  });

  test('Newcombe with corrected correlation', () => {
    const interval = newcombePaired({ both: 20, fixed: 12, regressed: 2, neither: 16 }, 0.95, true);
    expectInterval(interval, '.0561564248 .329206995');
  });

  test('no pairs have no interval, impossible pairs are refused', () => {
    expect(tango({ n: 0, fixed: 0, regressed: 0 })).toBeNull();
    expect(nonInferiorityP({ n: 0, fixed: 0, regressed: 0 }, 0.05)).toBeNull();
    expect(newcombePaired({ both: 0, fixed: 0, regressed: 0, neither: 0 })).toBeNull();
    expect(() => tango({ n: 3, fixed: 2, regressed: 2 })).toThrow(RangeError);
    expect(() => mcnemar(-1, 2)).toThrow(RangeError);
  });
});

const pairedCounts = fc
  .tuple(fc.nat(500), fc.nat(60), fc.nat(60))
  .filter(([same, f, r]) => same + f + r > 0)
  .map(([same, fixed, regressed]) => ({ n: same + fixed + regressed, fixed, regressed }));

describe('Tango interval', () => {
  test('contains the difference, stays in [-1, 1] and never has zero width', () => {
    fc.assert(
      fc.property(pairedCounts, (counts) => {
        const { low, high } = tango(counts) ?? { low: 9, high: -9 };
        const delta = (counts.fixed - counts.regressed) / counts.n;
        expect(low).toBeLessThanOrEqual(delta);
        expect(high).toBeGreaterThanOrEqual(delta);
        expect(high - low).toBeGreaterThan(0);
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('changes sign when the arms change places', () => {
    fc.assert(
      fc.property(pairedCounts, (counts) => {
        const one = tango(counts);
        const other = tango({ n: counts.n, fixed: counts.regressed, regressed: counts.fixed });
        expect(one?.low).toBeCloseTo(-(other?.high ?? Number.NaN), 9);
        expect(one?.high).toBeCloseTo(-(other?.low ?? Number.NaN), 9);
      }),
    );
  });

  test('a wider level gives a wider interval, one more regression a lower one', () => {
    fc.assert(
      fc.property(pairedCounts, (counts) => {
        const wide = tango(counts, 0.99);
        const narrow = tango(counts, 0.9);
        expect(wide?.low).toBeLessThanOrEqual((narrow?.low ?? Number.NaN) + 1e-12);
        expect(wide?.high).toBeGreaterThanOrEqual((narrow?.high ?? Number.NaN) - 1e-12);
        fc.pre(counts.fixed + counts.regressed < counts.n);
        const worse = tango({ ...counts, regressed: counts.regressed + 1 });
        expect(worse?.low).toBeLessThanOrEqual((tango(counts)?.low ?? Number.NaN) + 1e-12);
      }),
    );
  });
});

describe('paired and stratified', () => {
  test('macro difference of unbalanced tasks', () => {
    const result = macroDifference([
      { n: 50, fixed: 1, regressed: 3 },
      { n: 50, fixed: 2, regressed: 0 },
      { n: 25, fixed: 0, regressed: 4 },
    ]);
    expectPrinted(result?.delta, '-.05333333333');
    expectPrinted(result?.standardError, '.02927266453');
    // The reference used a z of ten digits, hence one digit less here.
    expectInterval(result?.interval ?? null, '-.1107067016 .0040400349');
    expectPrinted(result?.pooled, '-.032');
    expect(result?.balanced).toBe(false);
    expect(macroDifference([{ n: 0, fixed: 0, regressed: 0 }])).toBeNull();
  });

  test('with equally many pairs per task it is the pooled difference', () => {
    const result = macroDifference([
      { n: 10, fixed: 1, regressed: 3 },
      { n: 10, fixed: 2, regressed: 0 },
    ]);
    expect(result?.balanced).toBe(true);
    expect(result?.delta).toBeCloseTo(result?.pooled ?? Number.NaN, 12);
  });
});

describe('several seeds on each initial state', () => {
  const candidate = [3, 2, 3, 1, 3, 3, 2, 3, 3, 0];
  const baseline = [3, 3, 3, 2, 3, 3, 3, 3, 3, 1];
  const differences = candidate.map((c, i) => (c - (baseline[i] ?? 0)) / 3);

  test('ten states with three seeds', () => {
    const result = stateDifferences(differences);
    expectPrinted(result?.mean, '-.1333333333');
    expectPrinted(result?.sd, '.1721325932');
    expectPrinted(result?.standardError, '.05443310540');
    expectInterval(result?.interval ?? null, '-.2564695726 -.01019709407');
    expect(signFlip(differences)).toEqual({ twoSided: 0.125, worse: 0.0625, exact: true });
  });

  test('drawn signs agree with counted ones', () => {
    const many = Array.from({ length: 18 }, (_, i) => (i % 3 === 0 ? 0.4 : -0.3));
    const exact = signFlip(many);
    const drawn = signFlip(many, { exactUpTo: 0 });
    expect(exact.exact).toBe(true);
    expect(drawn.exact).toBe(false);
    expect(Math.abs(drawn.twoSided - exact.twoSided)).toBeLessThan(0.02);
    expect(Math.abs(drawn.worse - exact.worse)).toBeLessThan(0.02);
    expect(signFlip(many, { exactUpTo: 0 })).toEqual(drawn);
  });

  test('edges', () => {
    expect(stateDifferences([])).toBeNull();
    expect(stateDifferences([0.5])?.interval).toBeNull();
    expect(signFlip([0, 0])).toEqual({ twoSided: 1, worse: 1, exact: true });
    expect(effectiveEpisodes(50, 3, 1)).toBe(50);
    expect(effectiveEpisodes(50, 3, 0)).toBe(150);
  });
});

describe('many tasks', () => {
  const p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216];

  test('Holm', () => {
    const expected = ['.01', '.072', '.312', '.312', '.312', '.312', '.312', '.615', '.615', '.615'];
    const adjusted = holm(p);
    expected.forEach((printed, i) => {
      expectPrinted(adjusted[i], printed);
    });
    const tiny = holm([4.547473509e-13, 1.136868377e-13]);
    expectPrinted(tiny[0], '4.547473509e-13');
    expectPrinted(tiny[1], '2.273736754e-13');
    expectPrinted(holm([2 ** -15, ...new Array<number>(9).fill(0.5)])[0], '.00030518');
  });

  test('Benjamini–Hochberg', () => {
    const expected = ['.01', '.04', '.084', '.084', '.084', '.1', '.1057142857', '.216', '.216', '.216'];
    const adjusted = benjaminiHochberg(p);
    expected.forEach((printed, i) => {
      expectPrinted(adjusted[i], printed);
    });
  });

  test('adjusting follows its p value wherever it stands in the list', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (values) => {
        const backwards = holm([...values].reverse()).reverse();
        const adjusted = holm(values);
        adjusted.forEach((value, i) => {
          expect(value).toBeGreaterThanOrEqual(values[i] ?? 2);
          expect(value).toBe(backwards[i]);
        });
      }),
    );
  });

  test('fifty pairs of one task: what a flag needs', () => {
    expect(mcnemar(4, 0).midPWorse).toBeLessThan(0.05);
    expect(mcnemar(3, 0).midPWorse).toBeGreaterThan(0.05);
    expect(mcnemar(7, 0).midPWorse).toBeLessThan(0.005);
    expect(mcnemar(6, 0).midPWorse).toBeGreaterThan(0.005);
  });
});

describe('e-values, reference values', () => {
  test.each([
    [0, 0, '1'],
    [1, 0, '1.5'],
    [5, 0, '10.5'],
    [6, 0, '18.1428571'],
    [7, 0, '31.875'],
    [8, 0, '56.7777778'],
    [9, 3, '2.73216783'],
    [14, 3, '21.3362745'],
    [37, 14, '66.9571582'],
    [36, 9, '1726.23327'],
    [25, 5, '486.063808'],
    [3, 3, '.457142857'],
    [13, 9, '.584795632'],
    [0, 5, '.166666667'],
  ])('worse: %i regressions, %i fixes', (regressed, fixed, printed) => {
    const digits = printed.includes('.') ? printed : `${printed}.000000000`;
    expectPrinted(worseEValue(regressed, fixed), digits);
  });

  test.each([
    [0, 0, 1, 0.05, '1.02631579'],
    [0, 0, 50, 0.05, '4.66870368'],
    [0, 0, 75, 0.05, '11.7920772'],
    [0, 0, 89, 0.05, '20.4748688'],
    [1, 1, 100, 0.05, '10.3208384'],
    [3, 3, 500, 0.05, '11803127.7'],
    [14, 14, 100, 0.05, '.54994546'],
    [25, 5, 500, 0.05, '.462888874'],
    [37, 14, 500, 0.05, '.196882251'],
    [9, 13, 500, 0.02, '22.2309367'],
    [18, 20, 500, 0.02, '2.19749837'],
    [9, 36, 500, 0.02, '1064389.02'],
    [5, 25, 500, 0.05, '1.59874127e11'],
    [3, 3, 500, 0.02, '61.1011077'],
  ])('not inferior: R=%i F=%i n=%i m=%f', (...[regressed, fixed, n, margin, printed]) => {
    expectPrinted(notInferiorEValue(margin)({ n, fixed, regressed }), printed);
  });

  test.each([
    [0.05, 89],
    [0.03, 150],
    [0.02, 226],
  ])('at a margin of %f agreeing pairs stop at %i', (margin, n) => {
    expect(notInferiorEValue(margin)({ n, fixed: 0, regressed: 0 })).toBeGreaterThanOrEqual(20);
    expect(notInferiorEValue(margin)({ n: n - 1, fixed: 0, regressed: 0 })).toBeLessThan(20);
  });

  test('large counts stay finite', () => {
    expect(worseEValue(5000, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(worseEValue(0, 5000)).toBeGreaterThanOrEqual(0);
    expect(worseEValue(2600, 2400)).toBeGreaterThan(1);
  });
});
