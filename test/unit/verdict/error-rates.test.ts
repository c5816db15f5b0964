import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/stats/random.ts';
import { logChoose } from '../../../src/stats/special-functions.ts';
import { nonInferiorityGate, pairedDifference } from '../../../src/verdict/gates.ts';
import { StopWalk } from '../../../src/verdict/stop-walk.ts';
import { DEFAULT_LIMITS } from '../../../src/verdict/tally.ts';

const MARGIN = 0.05;
const RULES = {
  minSuccessRate: null,
  minTaskSuccessRate: null,
  thresholdMode: 'point',
  maxRegression: MARGIN,
} as const;

interface Truth {
  readonly regressed: number;
  readonly fixed: number;
}

/** Exact chances of PASS and FAIL of the fixed-size gate: sums over all tables that are likely at all. */
function fixedSize(n: number, { regressed, fixed }: Truth): { pass: number; fail: number } {
  const chance = { pass: 0, fail: 0, inconclusive: 0 };
  const log = (count: number, rate: number): number => (count === 0 ? 0 : count * Math.log(rate));
  for (let r = 0; r <= n; r += 1) {
    for (let f = 0; r + f <= n; f += 1) {
      const rest = n - r - f;
      const likely =
        logChoose(n, r) +
        logChoose(n - r, f) +
        log(r, regressed) +
        log(f, fixed) +
        log(rest, 1 - regressed - fixed);
      if (!(likely > -16)) continue;
      const difference = pairedDifference({ n, fixed: f, regressed: r }, 'baseline');
      if (difference !== null) chance[nonInferiorityGate(difference, MARGIN).result] += Math.exp(likely);
    }
  }
  return chance;
}

describe('fixed-size verdict, exact error rates', () => {
  // The score interval is not exact: a thousandth over the level is its known size.
  const LEVEL = 0.051;

  test.each([
    [100, 0.012],
    [100, 0.04],
    [100, 0.076],
    [200, 0.28],
  ])('false FAIL of %i pairs without a true drop, discordance %f', (n, discordance) => {
    expect(fixedSize(n, { regressed: discordance / 2, fixed: discordance / 2 }).fail).toBeLessThanOrEqual(
      LEVEL,
    );
  });

  test.each([
    [100, { regressed: 0.05, fixed: 0 }],
    [100, { regressed: 0.07, fixed: 0.02 }],
    [200, { regressed: 0.06, fixed: 0.01 }],
    [200, { regressed: 0.1, fixed: 0.05 }],
  ])('false PASS of %i pairs at the margin, %j', (n, truth) => {
    expect(fixedSize(n, truth).pass).toBeLessThanOrEqual(LEVEL);
  });
});

const TASKS = Array.from({ length: 500 }, (_, place) => place % 10);

/** Runs many early-stopping runs of 500 pairs in the given order of tasks. */
function simulate(
  truthOf: (taskId: number) => Truth,
  runs: number,
  tasks: readonly number[] = TASKS,
): { stop: number; pass: number; fail: number } {
  const random = randomSource(20_261_129);
  const sum = { stop: 0, pass: 0, fail: 0 };
  for (let run = 0; run < runs; run += 1) {
    const walk = new StopWalk(tasks, { rules: RULES, limits: DEFAULT_LIMITS, compares: true });
    for (const taskId of tasks) {
      const { regressed, fixed } = truthOf(taskId);
      const draw = random();
      walk.look(taskId, draw >= regressed, draw < regressed || draw >= regressed + fixed);
      if (walk.decision !== null) break;
    }
    const { prefix, decision } = walk.state();
    sum.stop += prefix / runs;
    if (decision === 'PASS') sum.pass += 1 / runs;
    if (decision === 'FAIL') sum.fail += 1 / runs;
  }
  return sum;
}

describe('early stop, simulated', () => {
  /** Three standard errors above the level: what chance alone may show in this many runs. */
  const atLevel = (runs: number): number => 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs);

  test.each([
    ['same policy', 0.006, 0.006, 107, 0.999],
    ['equal, few disagreements', 0.02, 0.02, 159, 0.984],
    ['equal, more disagreements', 0.038, 0.038, 228, 0.899],
  ] as const)('%s: hardly a false FAIL, and the expected savings', (...[, regressed, fixed, stop, pass]) => {
    const runs = 300;
    const result = simulate(() => ({ regressed, fixed }), runs);
    expect(result.fail).toBeLessThanOrEqual(atLevel(runs));
    expect(Math.abs(result.stop - stop)).toBeLessThan(0.12 * stop);
    expect(Math.abs(result.pass - pass)).toBeLessThan(0.07);
  });

  test.each([
    [0.05, 0],
    [0.06, 0.01],
    [0.07, 0.02],
  ])('at the margin (regressed %f, fixed %f) a PASS stays rare', (regressed, fixed) => {
    const runs = 300;
    expect(simulate(() => ({ regressed, fixed }), runs).pass).toBeLessThanOrEqual(atLevel(runs));
  });

  test.each([
    ['5 points worse', 0.06, 0.01, 182],
    ['10 points worse', 0.12, 0.02, 98],
    ['20 points worse', 0.2, 0, 38],
    ['50 points worse', 0.5, 0, 14],
    ['dead', 1, 0, 7],
  ] as const)('%s: fails, and soon', (...[, regressed, fixed, stop]) => {
    const result = simulate(() => ({ regressed, fixed }), 200);
    expect(result.fail).toBeGreaterThan(0.9);
    expect(Math.abs(result.stop - stop)).toBeLessThan(0.12 * stop + 1);
  });

  test('task by task instead of interleaved, a run without any drop fails', () => {
    // Five tasks ten points worse, five ten points better: no difference overall.
    const truth = (taskId: number): Truth =>
      taskId < 5 ? { regressed: 0.12, fixed: 0.02 } : { regressed: 0.02, fixed: 0.12 };
    const byTask = [...TASKS].sort((a, b) => a - b);
    expect(simulate(truth, 60, byTask).fail).toBeGreaterThan(0.85);
    expect(simulate(truth, 200).fail).toBeLessThanOrEqual(atLevel(200));
  });
});
