import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Cell, cellKey } from '../../../src/model/plan.ts';
import { makePlan, planDigest } from '../../../src/plan/make-plan.ts';
import { planRequest } from './plan-request.ts';

const requests = fc.record({
  taskIds: fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 12 }),
  initStates: fc.uniqueArray(fc.nat(49), { minLength: 1, maxLength: 12 }),
  repeats: fc.integer({ min: 1, max: 3 }),
  arms: fc.constantFrom<('candidate' | 'baseline')[]>(['candidate'], ['candidate', 'baseline']),
  seed: fc.maxSafeNat(),
});

const planOf = ({ taskIds, ...rest }: { taskIds: number[] } & Parameters<typeof planRequest>[0]) =>
  makePlan(
    planRequest({ ...rest, tasks: taskIds.map((taskId) => ({ taskId, language: `task ${taskId}` })) }),
  );

describe('makePlan', () => {
  it('plans every combination exactly once', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const keys = planOf(request).cells.map(cellKey);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.length).toBe(
          request.taskIds.length * request.initStates.length * request.repeats * request.arms.length,
        );
      }),
    );
  });

  it('never lets one task get ahead of another by more than one episode', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const done = new Map(request.taskIds.map((id) => [id, 0]));
        for (const cell of planOf(request).cells) {
          done.set(cell.taskId, (done.get(cell.taskId) ?? 0) + 1 / request.arms.length);
          const counts = [...done.values()];
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('runs both arms of an episode one after the other, each arm first half of the time', () => {
    const { cells } = makePlan(planRequest({ arms: ['candidate', 'baseline'] }));
    const pairs: [Cell, Cell][] = [];
    for (let index = 0; index < cells.length; index += 2) {
      pairs.push([cells[index] as Cell, cells[index + 1] as Cell]);
    }
    for (const [first, second] of pairs) {
      expect({ ...first, arm: '' }).toEqual({ ...second, arm: '' });
      expect(first.arm).not.toBe(second.arm);
    }
    expect(pairs.filter(([first]) => first.arm === 'baseline').length).toBe(50);
  });

  it('repeats an initial state only after all of them ran once', () => {
    const { cells } = makePlan(planRequest({ repeats: 3 }));
    const ofTask = cells.filter((cell) => cell.taskId === 4).map((cell) => cell.runIndex);
    expect(ofTask).toEqual([...ofTask].sort((a, b) => a - b));
  });

  it('gives the same digest for the same request, whatever order ids are named in', () => {
    const request = planRequest();
    const turned = planRequest({
      tasks: [...request.tasks].reverse(),
      initStates: [...request.initStates].reverse(),
    });
    expect(planDigest(makePlan(turned))).toBe(planDigest(makePlan(request)));
  });

  it('keeps the order of a seed over releases', () => {
    const { cells } = makePlan(planRequest({ initStates: [0, 1, 2], seed: 42 }));
    expect(cells.slice(0, 6).map(cellKey)).toMatchInlineSnapshot(`
      [
        "t1-i2-r0-candidate",
        "t4-i0-r0-candidate",
        "t9-i1-r0-candidate",
        "t6-i1-r0-candidate",
        "t8-i1-r0-candidate",
        "t7-i1-r0-candidate",
      ]
    `);
  });

  it('changes the digest with any setting that could change a score', () => {
    const digest = (change: Parameters<typeof planRequest>[0]) => planDigest(makePlan(planRequest(change)));
    const limits = planRequest().limits;
    const digests = [
      digest({}),
      digest({ seed: 1 }),
      digest({ repeats: 2 }),
      digest({ limits: { ...limits, settleSteps: 5 } }),
      digest({ targetConfig: { camera_height: 128, camera_width: 256 } }),
      digest({ timeoutsAs: 'failure' }),
      digest({ tasks: planRequest().tasks.map((task) => ({ ...task, language: `${task.language}.` })) }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('names everything that is wrong with a request at once', () => {
    const limits = { ...planRequest().limits, maxPolicyCalls: 22 };
    const wrong = () => makePlan(planRequest({ initStates: [1, 1], limits }));
    expect(wrong).toThrowError(RbError);
    expect(wrong).toThrowError(/RB331.*\nRB332.*22 calls for 220 steps/);
    expect(() => makePlan(planRequest({ initStates: [] }))).toThrowError(/RB330.*no episode/);
    expect(() => makePlan(planRequest({ repeats: 100_000 }))).toThrowError(/RB330.*more than 100000/);
  });
});
