import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { possibleSuccesses } from '../../../src/stats/arithmetic-check.ts';
import { worseEValue } from '../../../src/stats/e-values.ts';
import { lookLevels } from '../../../src/stats/group-sequential.ts';
import { mcnemar } from '../../../src/stats/mcnemar.ts';
import { detectableDrop, pairedEpisodes, unpairedEpisodes } from '../../../src/stats/power.ts';
import { fixed, percentOf, percentOfRate, points } from '../../../src/stats/rounding.ts';
import { signFlip } from '../../../src/stats/seeds.ts';
import { selfStartingCusum } from '../../../src/stats/self-starting-cusum.ts';
import { medianRanks } from '../../../src/stats/summaries.ts';
import { tango } from '../../../src/stats/tango.ts';
import { suiteRates } from '../../../src/stats/task-rates.ts';
import { wilson } from '../../../src/stats/wilson.ts';
import { worseP } from '../../../src/stats/worse-test.ts';
import { looksOf } from '../../../src/verdict/early-stop-design.ts';
import { nonInferiorityGate, pairedDifference, pText } from '../../../src/verdict/gates.ts';
import { pairsNeededForMargin } from '../../../src/verdict/margin-pairs.ts';
import { DEFAULT_LIMITS } from '../../../src/verdict/tally.ts';
import { smallestReaching } from '../../../src/verdict/thresholds.ts';
import { ALARM_AT } from '../../../src/verdict/trend.ts';

/** The page as one line of words, so that line breaks do not matter. */
const page = readFileSync(new URL('../../../docs/statistics.md', import.meta.url), 'utf8').replace(
  /\s+/g,
  ' ',
);
const says = (text: string): void => expect(page).toContain(text);
const percent = (rate: number | undefined): string =>
  percentOfRate(rate ?? Number.NaN)?.replace('100.0', '100') ?? '';

test('every test that docs/statistics.md names is there', () => {
  const paths = [...page.matchAll(/`(test\/[a-z/-]+\.test\.ts)`/g)].map(([, name]) => name ?? '');
  expect(paths.length).toBeGreaterThan(9);
  for (const name of paths) expect(existsSync(new URL(`../../../${name}`, import.meta.url)), name).toBe(true);
});

describe('docs/statistics.md says what the code computes', () => {
  test('one rate', () => {
    const interval = (k: number, n: number) => wilson(k, n) ?? { low: 0, high: 0 };
    says(`47 of 50 episodes succeed. The policy's long-run rate is not ${percentOf(47, 50, 0)}%`);
    says(`**${percent(interval(47, 50).low)}% to ${percent(interval(47, 50).high)}%**`);
    says(`50 of 50 gives ${percent(interval(50, 50).low)}% to ${percent(interval(50, 50).high)}%`);
    says(`49 of 50: ${percent(interval(49, 50).low)}% to ${percent(interval(49, 50).high)}%`);
    says(`1941 of 2000 prints ${percentOf(1941, 2000)}%`);
    says(`prints ${percentOf(1941, 2000, 1, 'binary')}% for the same counts`);
  });

  test('suites', () => {
    const ks = [20, 50, 50, 50, 49, 50, 49, 46, 50, 49];
    const rates = suiteRates(ks.map((k) => ({ k, n: 50 })));
    says(`macro rate of ${percent(rates?.macro)}%`);
    says(
      `standard error of ${percent(rates?.seFixed)} points for these tasks, but ${percent(rates?.seTasks ?? 0)}`,
    );
  });

  test('pairs', () => {
    const interval = tango({ n: 500, fixed: 5, regressed: 25 });
    says(`= ${points((5 - 25) / 500)} points`);
    says(`**${points(interval?.low ?? 0)} to ${points(interval?.high ?? 0)} points**`);
    says('`P(worse) > 0.999`');
    expect(mcnemar(25, 5).pWorse).toBeGreaterThan(0.999);
    says(
      `${Math.ceil(pairedEpisodes(0.05, 0.05))} pairs do what ${Math.ceil(unpairedEpisodes(0.95, 0.05))} episodes`,
    );
    const states = [0, -1 / 3, 0, -1 / 3, 0, 0, -1 / 3, 0, 0, -1 / 3];
    says(`the sign-flip test says ${signFlip(states).twoSided}`);
    expect(possibleSuccesses('97.65', 200)).toEqual([]);
    says(`97.65% of 200 rollouts is not possible, 97.5% is (${possibleSuccesses('97.5', 200)?.[0]})`);
  });

  test('floors and completeness', () => {
    says(
      `more than ${DEFAULT_LIMITS.overall * 100}% of the plan (or more than ${DEFAULT_LIMITS.perTask * 100}% of one task)`,
    );
    says(
      `takes ${smallestReaching(500, 0.9, 'lower-bound')} of 500, or ${smallestReaching(100, 0.9, 'lower-bound')} of 100`,
    );
    says(
      `${pairsNeededForMargin(0.1)} for a margin of 10 points, ${pairsNeededForMargin(0.05)} for 5, ${pairsNeededForMargin(0.03)} for 3, ${pairsNeededForMargin(0.02)} for 2, ${pairsNeededForMargin(0.01)} for 1`,
    );
  });

  test.each([
    [500, 9, 13],
    [500, 25, 5],
    [100, 14, 14],
    [50, 0, 0],
    [58, 0, 0],
    [59, 0, 0],
    [2000, 40, 15],
  ])('verdict table: %i pairs, %i regressed, %i fixed', (n, regressed, fixes) => {
    const difference = pairedDifference({ n, regressed, fixed: fixes }, 'x', 0.05);
    if (difference === null) throw new Error('no pairs');
    const gate = nonInferiorityGate(difference, 0.05);
    const verdict = { pass: 'PASS', fail: 'FAIL', inconclusive: 'INCONCLUSIVE', noted: '–' }[gate.result];
    const { low, high } = difference.interval ?? { low: 0, high: 0 };
    const p = (value: number): string => pText(value).replace('p ', '');
    const note = gate.notes.length > 0 ? ', with a note' : '';
    says(
      `| ${n} | ${regressed} | ${fixes} | ${points(low)} to ${points(high)} | ${p(difference.worse)} | ${p(difference.marginal)} | ${verdict}${note} |`,
    );
  });

  test('what a run cannot see', () => {
    const drops = [100, 200, 500, 1000, 2000].map((n) => percentOfRate(detectableDrop(n, 0.01) ?? 0));
    says(`| smallest visible drop (points) | ${drops.join(' | ')} |`);
    const flagged = (regressed: number): boolean =>
      10 * worseP({ n: 50, regressed, fixed: 0 }, 0.005) <= 0.05;
    expect([flagged(6), flagged(7)]).toEqual([false, true]);
  });

  test('early stop', () => {
    const { pass } = looksOf(300, 10);
    const spent = lookLevels([1 / 3, 2 / 3, 1], 0.05);
    expect(pass).toEqual(spent);
    says(
      `${percentOfRate(spent[0] ?? 0, 2)}% by the first look, ${percentOfRate(spent[1] ?? 0)}% by the second, so that the last one is nearly the fixed test (${percentOfRate(spent[2] ?? 0)}%)`,
    );
    const collapsed = [12, 13].map((regressed) => worseEValue(regressed, 0) >= 1000);
    expect(collapsed).toEqual([false, true]);
    says('13 regressions without a fix end the run');
    // The tables are printed by `npm run bench statistics`; early-looks.test.ts holds cells of them exactly.
  });

  test('medians and schedules', () => {
    const ranks = medianRanks(100);
    says(`for 100 episodes the ${ranks?.low}th to the ${ranks?.high}st`);
    const series = [95, 96, 94, 95, 93, 90, 89, 88];
    const { heights } = selfStartingCusum(
      { k: 95, n: 100 },
      series.map((k) => ({ k, n: 100 })),
    );
    says(`${series.join(', ')} alarms at the eighth run (height ${fixed(heights.at(-1) ?? 0, 1)})`);
    expect(heights.findIndex((height) => height >= ALARM_AT)).toBe(7);
  });
});
