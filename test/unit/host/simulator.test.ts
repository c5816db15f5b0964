import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INIT_STATES, outcomeOf, type SimCell, SUITES } from '../../../src/host/simulator.ts';

const SEEDED = { kind: 'seeded', seed: 7 } as const;

const cells = fc.record({
  suite: fc.constantFrom(...SUITES.keys()),
  taskId: fc.nat(9),
  initStateId: fc.nat(INIT_STATES - 1),
  skill: fc.double({ min: 0, max: 1, noNaN: true }),
  run: fc.nat(3),
});

function successes(skill: number, suite = 'libero_spatial'): number {
  let count = 0;
  for (let taskId = 0; taskId < 10; taskId += 1) {
    for (let initStateId = 0; initStateId < INIT_STATES; initStateId += 1) {
      if (outcomeOf({ suite, taskId, initStateId, skill, run: 0 }, SEEDED).success) count += 1;
    }
  }
  return count;
}

describe('suites', () => {
  it('are four with ten tasks each, and no two tasks of a suite say the same', () => {
    expect([...SUITES.keys()]).toEqual(['libero_spatial', 'libero_object', 'libero_goal', 'libero_10']);
    for (const tasks of SUITES.values()) {
      expect(tasks.map((task) => task.taskId)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(new Set(tasks.map((task) => task.language)).size).toBe(10);
    }
  });
});

describe('outcomes', () => {
  it('are the same for the same cell', () => {
    fc.assert(
      fc.property(cells, (cell: SimCell) => {
        expect(outcomeOf(cell, SEEDED)).toEqual(outcomeOf({ ...cell }, SEEDED));
      }),
    );
  });

  it('follow the skill: about the share of initial states it names', () => {
    for (const skill of [0.3, 0.6, 0.9]) expect(successes(skill) / 500).toBeCloseTo(skill, 1);
    expect(successes(0)).toBe(0);
  });

  it('differ with the seed', () => {
    const all = Array.from({ length: INIT_STATES }, (_, initStateId) => ({
      suite: 'libero_goal',
      taskId: 3,
      initStateId,
      skill: 0.5,
      run: 0,
    }));
    const of = (seed: number): boolean[] =>
      all.map((cell) => outcomeOf(cell, { kind: 'seeded', seed }).success);
    expect(of(1)).not.toEqual(of(2));
  });

  it('of two policies agree on most initial states', () => {
    let agreeing = 0;
    for (let initStateId = 0; initStateId < INIT_STATES; initStateId += 1) {
      const cell = { suite: 'libero_object', taskId: 2, initStateId, run: 0 };
      const pair = [0.9, 0.8].map((skill) => outcomeOf({ ...cell, skill }, SEEDED).success);
      if (pair[0] === pair[1]) agreeing += 1;
    }
    expect(agreeing).toBeGreaterThan(35);
    expect(agreeing).toBeLessThan(INIT_STATES);
  });

  it('repeat exactly without noise, and flip sometimes with it', () => {
    const noisy = { kind: 'seeded', seed: 7, rerunNoise: 0.5 } as const;
    const cell = { suite: 'libero_10', taskId: 1, initStateId: 4, skill: 0.7 };
    const runs = (rule: typeof noisy | typeof SEEDED): boolean[] =>
      Array.from({ length: 30 }, (_, run) => outcomeOf({ ...cell, run }, rule).success);
    expect(new Set(runs(SEEDED)).size).toBe(1);
    expect(new Set(runs(noisy)).size).toBe(2);
  });

  it('under the stub rule are those of the recordings', () => {
    const stub = (taskId: number, initStateId: number): unknown =>
      outcomeOf({ suite: 'libero_spatial', taskId, initStateId, skill: 0, run: 0 }, { kind: 'stub' });
    expect(stub(0, 0)).toEqual({ success: true, successStep: 25 });
    expect(stub(9, 2)).toEqual({ success: false, successStep: 27 });
    expect(stub(4, 1)).toEqual({ success: true, successStep: 30 });
  });

  it('need a whole number of steps that fits any suite', () => {
    fc.assert(
      fc.property(cells, (cell) => {
        const { successStep } = outcomeOf(cell, SEEDED);
        expect(Number.isInteger(successStep)).toBe(true);
        expect(successStep).toBeGreaterThan(10);
        expect(successStep).toBeLessThan(150);
      }),
    );
  });
});
