import { randomSource } from '../../src/base/random.ts';
import { selfStartingCusum } from '../../src/stats/self-starting-cusum.ts';
import { type Stratum, strataMarginP, strataWorseP } from '../../src/stats/strata.ts';
import { twoStageInterval } from '../../src/stats/two-stage.ts';
import { summarisePairs } from '../../src/verdict/paired-summary.ts';
import type { Pair } from '../../src/verdict/pairing.ts';
import { ALARM_AT } from '../../src/verdict/trend.ts';

/** What no sum over tables gives: simulated with a fixed seed, `cases` runs each. */
const random = randomSource(20_261_130);
const share = (cases: number, happens: () => boolean): number => {
  let count = 0;
  for (let i = 0; i < cases; i += 1) if (happens()) count += 1;
  return count / cases;
};
const outcome = (regressed: number, fixed: number): number => {
  const draw = random();
  return draw < regressed ? -1 : draw < regressed + fixed ? 1 : 0;
};

/** Share of runs of an equal, deterministic policy with any task flagged: 10 tasks, 10 states, `repeats` equal runs. */
export function falseFlags(repeats: number, psi: number, cases: number): number {
  return share(cases, () => {
    const pairs: Pair[] = [];
    for (let task = 0; task < 10; task += 1)
      for (let state = 0; state < 10; state += 1) {
        const difference = outcome(psi / 2, psi / 2);
        for (let run = 0; run < repeats; run += 1)
          pairs.push({
            key: `t${task}-i${state}-r${run}`,
            taskId: task,
            initStateId: state,
            runIndex: run,
            position: pairs.length,
            candidate: difference >= 0,
            baseline: difference <= 0,
            candidateSteps: null,
            baselineSteps: null,
          });
      }
    const pairing = {
      planned: pairs.length,
      plannedPerTask: [],
      pairs,
      lost: [],
      duplicates: [],
      unusedBaseline: 0,
    };
    return summarisePairs(pairing, 'b')?.tasks.some(({ flagged }) => flagged) === true;
  });
}

/** Shares of FAIL without a drop and of PASS at the margin, for a way to draw the strata at a given drop. */
export function weightedErrors(draw: (drop: number) => Stratum[], margin: number, cases: number) {
  return {
    fail: share(cases, () => strataWorseP(draw(0)) <= 0.05),
    pass: share(cases, () => strataMarginP(draw(margin), margin) <= 0.05),
  };
}

/** Several runs of each state, each run with the state's own chances. */
export function repeatedStates(runs: number, psi: number) {
  return (drop: number): Stratum[] =>
    Array.from({ length: 10 }, () => ({
      weight: 1,
      repeated: true,
      differences: Array.from({ length: 20 }, () => {
        const same = random() < 0.5 ? outcome((psi + drop) / 2, (psi - drop) / 2) : null;
        const draws = Array.from({ length: runs }, () => same ?? outcome((psi + drop) / 2, (psi - drop) / 2));
        return draws.reduce((sum, d) => sum + d, 0) / runs;
      }),
    }));
}

/** Ten tasks of twenty states of which two lost two states; they are also the ones that change most. */
export function unequalTasks(psi: number) {
  return (drop: number): Stratum[] =>
    Array.from({ length: 10 }, (_, task) => {
      const own = task < 2 ? 2 * psi : (psi * 6) / 8;
      const length = task < 2 ? 18 : 20;
      return {
        weight: 1,
        repeated: false,
        differences: Array.from({ length }, () => outcome((own + drop) / 2, (own - drop) / 2)),
      };
    });
}

/** Three runs a state: whole states gained, single runs lost, on average as much (and the given drop more). */
export function unlikeSizes(gained: number) {
  return (drop: number): Stratum[] => [
    {
      weight: 1,
      repeated: true,
      differences: Array.from({ length: 200 }, () => {
        const change = outcome(3 * (gained + drop), gained);
        return change < 0 ? -1 / 3 : change;
      }),
    },
  ];
}

/** Two suites of 20 and 180 states of the same weight: the small one gains what the large one loses, then falls alone. */
export function unlikeWeights(changed: number) {
  return (drop: number): Stratum[] => {
    const of = (length: number, regressed: number, fixed: number): Stratum => ({
      weight: 1,
      repeated: false,
      differences: Array.from({ length }, () => outcome(regressed, fixed)),
    });
    return drop === 0 ? [of(20, 0, changed), of(180, changed, 0)] : [of(20, 2 * drop, 0), of(180, 0, 0)];
  };
}

const successes = (n: number, chance: number): number => {
  let k = 0;
  for (let i = 0; i < n; i += 1) if (random() < chance) k += 1;
  return k;
};

/** Share of courses with an alarm within 30 quiet runs after one baseline run, all cells alike. */
export function quietAlarms(n: number, psi: number, cases: number): number {
  const rate = (1 + Math.sqrt(1 - 2 * psi)) / 2;
  const run = () => ({ k: successes(n, rate), n });
  return share(cases, () =>
    selfStartingCusum(run(), Array.from({ length: 30 }, run)).heights.some((height) => height >= ALARM_AT),
  );
}

/** Median number of runs until a fall of 5 points is found, after 20 quiet runs of 100. */
export function runsToAlarm(psi: number, cases: number): number {
  const rate = (1 + Math.sqrt(1 - 2 * psi)) / 2;
  const quiet = () => ({ k: successes(100, rate), n: 100 });
  const fallen = () => ({ k: successes(100, rate - 0.05), n: 100 });
  const found = Array.from({ length: cases }, () => {
    const runs = [...Array.from({ length: 20 }, quiet), ...Array.from({ length: 40 }, fallen)];
    const at = selfStartingCusum(quiet(), runs).heights.findIndex((h, i) => i >= 20 && h >= ALARM_AT);
    return at === -1 ? 99 : at - 19;
  });
  return found.sort((a, b) => a - b)[Math.floor(cases / 2)] ?? Number.NaN;
}

/** Coverage of the interval for tasks drawn from a family whose differences have the given deviation. */
export function familyCoverage(tasks: number, deviation: number, cases: number): number {
  const centre = -0.02;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return share(cases, () => {
    const drawn = Array.from({ length: tasks }, () => {
      const drop = -Math.max(-0.9, Math.min(0.9, centre + deviation * normal()));
      const psi = Math.max(0.1, Math.abs(drop));
      return Array.from({ length: 50 }, () => outcome((psi + drop) / 2, (psi - drop) / 2));
    });
    const found = twoStageInterval(drawn, { resamples: 400, seed: Math.floor(random() * 1e9) });
    return found === null || (found.low <= centre && centre <= found.high);
  });
}
