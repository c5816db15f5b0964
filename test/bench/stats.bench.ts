import { randomSource } from '../../src/base/random.ts';
import { bootstrapMean } from '../../src/stats/summaries.ts';
import { assess } from '../../src/verdict/from-records.ts';
import { planOf, recordsOf } from '../unit/verdict/records.ts';

/**
 * CPU time of the verdict on 10,000 pairs with all its figures, and of the bootstrap of their step counts.
 * Prints figures, asserts nothing: machines differ.
 */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const random = randomSource(1);
function measured(states: number) {
  const plan = planOf({ tasks: 10, initStates: states, arms: ['candidate', 'baseline'] });
  const records = recordsOf(
    plan,
    (_, arm) => (random() < (arm === 'candidate' ? 0.93 : 0.95) ? 'success' : 'failure'),
    () => ({ steps: 60 + Math.floor(random() * 200) }),
  );
  return { plan, records };
}
const { plan, records } = measured(1000);
const smaller = measured(200);
const steps = records.flatMap(({ arm, outcome, steps: n }) =>
  arm === 'candidate' && outcome === 'success' && n !== null ? [n] : [],
);

const verdict = cpuMs(() => assess(plan, records));
const bootstrap = cpuMs(() => bootstrapMean(steps, { random: randomSource(2) }));
const small = cpuMs(() => assess(smaller.plan, smaller.records));
console.log(`verdict and figures of 2,000 pairs: ${small.toFixed(0)} ms CPU (goal: below 1,000)`);
console.log(`verdict and figures of 10,000 pairs: ${verdict.toFixed(0)} ms CPU`);
console.log(`bootstrap of ${steps.length} step counts, 10,000 resamples: ${bootstrap.toFixed(0)} ms CPU`);
console.log(`together: ${(verdict + bootstrap).toFixed(0)} ms CPU (goal: below 3,000)`);
