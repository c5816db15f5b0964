import { randomSource } from '../../src/base/random.ts';
import { comparePolicies } from '../../src/verdict/many-policies.ts';
import { cellsOf, simulated } from '../unit/verdict/many-policies-builder.ts';

/** Seconds of processor time that a table of many policies takes: rates, all pairs with tests and intervals, and the letters. */
const line = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);

line('policies', 'cells', 'what', 'seconds');
for (const count of [2, 10, 50]) {
  for (const states of [1, 50]) {
    for (const [what, runs, lost] of [
      ['one run', 1, 0],
      ['2% lost', 1, 0.02],
      ['three runs', 3, 0],
    ] as const) {
      const cells = cellsOf({ tasks: 10, states, runs });
      const random = randomSource(7);
      const quality = Array.from({ length: count }, (_, at) => 0.95 - (0.9 * at) / count);
      const policies = simulated(cells, quality, random).map(({ name, outcomes }) => ({
        name,
        outcomes: outcomes.map((outcome) => (random() < lost ? null : outcome)),
      }));
      const began = process.cpuUsage();
      comparePolicies(cells, policies);
      line(count, cells.length, what, (process.cpuUsage(began).user / 1e6).toFixed(2));
    }
  }
}
