import { binomialWindow, logFactorials } from '../../src/stats/binomial.ts';
import { binomialPoint, binomialUpperTail } from '../../src/stats/binomial-tail.ts';
import { fewestFixes, trinomialSum } from '../../src/stats/margin-test.ts';
import { worseP } from '../../src/stats/worse-test.ts';
import { looksOf } from '../../src/verdict/early-stop-design.ts';
import { smallestReaching } from '../../src/verdict/thresholds.ts';
import { exactShares, fixedLooks, regionsOf } from '../unit/stats/early-shares.ts';
import { marginRegion, marginSizeAt, type Truth, worseRegion, worseSize } from '../unit/stats/sizes.ts';
import { familyError } from '../unit/verdict/many-policies-builder.ts';
import {
  falseFlags,
  familyCoverage,
  quietAlarms,
  repeatedStates,
  runsToAlarm,
  unequalTasks,
  unlikeSizes,
  unlikeWeights,
  weightedErrors,
} from './statistics-simulated.ts';

/**
 * Error and power tables of everything that decides, from the functions that decide. Exact where it says so, else
 * simulated with a fixed seed. Prints, asserts nothing; the unit tests hold the decisive cells.
 */
const MARGIN = 0.05;
const percent = (x: number): string => (100 * x).toFixed(2);
const line = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
const began = performance.now();
const section = (title: string): void =>
  console.log(`\n## ${title}   [${((performance.now() - began) / 1000).toFixed(0)} s]\n`);

const SIZES = [...Array.from({ length: 300 }, (_, i) => i + 1), 500, 1000];
const NUISANCE = [0, 0.001, 0.003, 0.006, 0.01, 0.02, 0.04, 0.07, 0.1, 0.14, 0.2, 0.28, 0.36, 0.43, 0.475];

function worstOver(sizes: readonly number[], error: (n: number) => number): { n: number; error: number } {
  return sizes.reduce(
    (worst, n) => {
      const found = error(n);
      return found > worst.error ? { n, error: found } : worst;
    },
    { n: 0, error: 0 },
  );
}

section('Worst error of FAIL without a drop, exact, n = 1 to 300, 500, 1000');
const worse = worstOver(SIZES, (n) => {
  const region = worseRegion(n);
  return Math.max(...NUISANCE.slice(1).map((x) => worseSize(n, region, { regressed: x, fixed: x })));
});
line('worst error', 'at n');
line(percent(worse.error), worse.n);

section('Worst error of PASS at the margin, exact, same sizes');
line('margin', 'worst error', 'at n');
for (const margin of [0.02, 0.05, 0.1]) {
  const worst = worstOver(SIZES, (n) => {
    const region = marginRegion(n, margin);
    const rates = NUISANCE.filter((x) => x <= (1 - margin) / 2);
    return Math.max(...rates.map((x) => marginSizeAt(n, region, { regressed: x + margin, fixed: x })));
  });
  line(`${100 * margin} points`, percent(worst.error), worst.n);
}

section('Worst error of a floor as a lower bound, exact, same sizes');
line('floor', 'worst error', 'at n');
for (const floor of [0.5, 0.8, 0.9, 0.95, 0.99]) {
  const worst = worstOver(SIZES, (n) => {
    const k = smallestReaching(n, floor, 'lower-bound');
    return k === null ? 0 : binomialUpperTail(k, n, floor);
  });
  line(`${100 * floor}%`, percent(worst.error), worst.n);
}

section(
  'Errors above n = 2,000, exact as below: FAIL at 2 % and 10 % disagreement, PASS at 5 points and few or many fixes',
);
line('pairs', 'FAIL 2%', 'FAIL 10%', 'PASS 1% fixes', 'PASS 20% fixes');
for (const n of [5000, 10_000]) {
  const fails = [0.02, 0.1].map((psi) => {
    let needed = Math.floor((n * psi) / 2);
    let error = 0;
    const [first, last] = binomialWindow(n, psi);
    for (let d = first; d <= last; d += 1) {
      const weight = binomialPoint(n, d, psi);
      if (weight < 1e-7) continue;
      needed = Math.max(needed, Math.floor(d / 2) + 1);
      while (needed <= d && worseP({ n, regressed: needed, fixed: d - needed }) > 0.05) needed += 1;
      error += weight * binomialUpperTail(needed, d, 0.5);
    }
    return error;
  });
  const region = marginRegion(n, MARGIN);
  const table = logFactorials(n);
  const passes = [0.01, 0.2].map((fixes) =>
    trinomialSum(n, region, table, { regressed: fixes + MARGIN, fixed: fixes }),
  );
  line(n, ...[...fails, ...passes].map(percent));
}

section('Power of this and of the earlier rule (Tango’s 90 % interval), exact, margin 5 points');
line('pairs', 'disagreeing', 'PASS when equal: earlier', 'now', 'FAIL at −10: earlier', 'now');
for (const n of [100, 200, 500]) {
  const [pass, fail] = [marginRegion(n, MARGIN), worseRegion(n)];
  const earlierPass = fewestFixes(n, MARGIN, 1.6448536);
  // T(0) = (R − F)/√(R + F) above z.
  const earlierFail = Array.from(
    { length: n + 1 },
    (_, d) => Math.floor((d + 1.6448536 * Math.sqrt(d)) / 2) + 1,
  );
  for (const psi of [0.04, 0.14, 0.28]) {
    const equal: Truth = { regressed: psi / 2, fixed: psi / 2 };
    const all = Math.max(psi, 0.1);
    const worseTruth: Truth = { regressed: (all + 0.1) / 2, fixed: (all - 0.1) / 2 };
    const powers = [
      marginSizeAt(n, earlierPass, equal),
      marginSizeAt(n, pass, equal),
      worseSize(n, earlierFail, worseTruth),
      worseSize(n, fail, worseTruth),
    ];
    line(n, `${percent(psi)}%`, ...powers.map((x) => (100 * x).toFixed(1)));
  }
}

section('False flags of any of ten tasks, deterministic policy, 10 states a task, simulated (150 runs)');
line('runs a state', '10% disagree', '30% disagree');
for (const repeats of [1, 3, 5])
  line(repeats, percent(falseFlags(repeats, 0.1, 150)), percent(falseFlags(repeats, 0.3, 150)));

section('Errors with several runs or unequal tasks, 200 states, simulated (1500 runs)');
line('what', 'FAIL without a drop', 'PASS at 5 points');
for (const [name, draw] of [
  ['3 runs a state, 10% disagree', repeatedStates(3, 0.1)],
  ['5 runs a state, 20% disagree', repeatedStates(5, 0.2)],
  ['unlike sizes, 2% of states gained', unlikeSizes(0.02)],
  ['unlike sizes, 10% of states gained', unlikeSizes(0.1)],
  ['two of ten tasks lost 2 of 20, 14% disagree', unequalTasks(0.14)],
  ['two of ten tasks lost 2 of 20, 28% disagree', unequalTasks(0.28)],
  ['suites of 20 and 180, 10% change', unlikeWeights(0.1)],
] as const) {
  const { fail, pass } = weightedErrors(draw, MARGIN, 1500);
  line(name, percent(fail), percent(pass));
}

section('Alarm within 30 quiet runs after one baseline run, simulated (500 courses)');
line('episodes', '2%', '5%', '14%', '34% of cells differ');
for (const n of [20, 50, 100, 1000])
  line(n, ...[0.02, 0.05, 0.14, 0.34].map((psi) => percent(quietAlarms(n, psi, n === 1000 ? 200 : 500))));
line('median runs to find −5 points', ...[0.02, 0.05, 0.14, 0.34].map((psi) => runsToAlarm(psi, 201)));

section('Coverage of “on tasks like these”, 50 states a task, simulated (400 families)');
line('tasks', 'equal tasks', 'deviation 3 points', 'deviation 6 points');
for (const tasks of [5, 10, 20])
  line(tasks, ...[0, 0.03, 0.06].map((deviation) => percent(familyCoverage(tasks, deviation, 400))));

section('Early stop against the fixed run of the same plan, exact, margin 5 points, ten tasks');
line(
  'pairs',
  'disagreeing',
  'true drop',
  'fixed PASS',
  'FAIL',
  'early PASS',
  'FAIL',
  'largest shift',
  'saved',
);
const truthOf = (psi: number, drop: number): Truth => {
  const all = Math.max(psi, drop);
  return { regressed: (all + drop) / 2, fixed: (all - drop) / 2 };
};
for (const n of [100, 200, 500]) {
  const [looks, fixed] = [looksOf(n, 10), fixedLooks(n)];
  const [early, whole] = [regionsOf(looks, MARGIN), regionsOf(fixed, MARGIN)];
  for (const psi of [0.04, 0.14, 0.28]) {
    for (const drop of [0, 0.02, 0.03, 0.05, 0.1]) {
      const truth = truthOf(psi, drop);
      const a = exactShares(fixed, whole, truth, MARGIN);
      const b = exactShares(looks, early, truth, MARGIN);
      const shift = Math.max(Math.abs(a.pass - b.pass), Math.abs(a.fail - b.fail), Math.abs(a.open - b.open));
      line(
        n,
        `${percent(Math.max(psi, drop))}%`,
        100 * drop,
        ...[a.pass, a.fail, b.pass, b.fail, shift, b.saved].map((x) => (100 * x).toFixed(1)),
      );
    }
  }
}

section('Many policies: experiments in which some pair of equal policies is called different, simulated');
line(
  'policies',
  'tasks x states x runs',
  'lost',
  'experiments',
  'some error',
  'with mirrored one-sided tests',
);
const families: readonly (readonly [
  string,
  readonly number[],
  Parameters<typeof familyError>[0],
  number,
  number,
])[] = [
  ['5 equal', Array.from({ length: 5 }, () => 0.7), { tasks: 10, states: 10 }, 0, 2000],
  ['10 equal', Array.from({ length: 10 }, () => 0.7), { tasks: 10, states: 10 }, 0, 600],
  ['10 equal', Array.from({ length: 10 }, () => 0.7), { tasks: 10, states: 10 }, 0.05, 400],
  ['5 equal', Array.from({ length: 5 }, () => 0.7), { tasks: 10, states: 5, runs: 3 }, 0, 1000],
  ['3 + 3 + 3', [0.9, 0.9, 0.9, 0.5, 0.5, 0.5, 0.2, 0.2, 0.2], { tasks: 10, states: 10 }, 0, 400],
  ['20 equal', Array.from({ length: 20 }, () => 0.7), { tasks: 10, states: 20 }, 0, 100],
];
for (const [what, quality, shape, lost, draws] of families) {
  const { wrong, mirrored } = familyError(shape, quality, { draws, lost });
  const cells = `${shape.tasks} x ${shape.states} x ${shape.runs ?? 1}`;
  line(what, cells, `${100 * lost}%`, draws, `${percent(wrong)}%`, `${percent(mirrored)}%`);
}
