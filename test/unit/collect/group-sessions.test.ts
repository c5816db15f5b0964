import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributedSession } from '../../../src/app/collect/attribute.ts';
import { groupSessions } from '../../../src/app/collect/group-sessions.ts';
import { planSchema } from '../../../src/plan/plan.ts';
import { attributed, finished } from './finished-sessions.ts';

describe('groupSessions', () => {
  it('makes a suite of what ran, and runs of states that ran again', () => {
    const [group, ...rest] = groupSessions([
      attributed('s1', ['libero_goal', 3, 0]),
      attributed('s2', ['libero_goal', 3, 0]),
      attributed('s3', ['libero_goal', 1, 7]),
    ]);
    expect(rest).toEqual([]);
    expect(group?.plan).toMatchObject({
      suite: 'libero_goal',
      benchmark: 'libero',
      initStates: [0, 7],
      repeats: 2,
    });
    expect(group?.plan.cells.map((cell) => [cell.taskId, cell.initStateId, cell.runIndex])).toEqual([
      [3, 0, 0],
      [3, 0, 1],
      [1, 7, 0],
    ]);
  });

  it('keeps suites and skill runtimes apart', () => {
    const groups = groupSessions([
      attributed('s1', ['libero_goal', 3, 0]),
      { ...attributed('s2', ['libero_goal', 3, 0]), skillruntime: 'act' },
      attributed('s3', ['libero_10', 3, 0]),
    ]);
    expect(groups.map(({ plan }) => [plan.suite, plan.skillruntime])).toEqual([
      ['libero_10', 'pi05'],
      ['libero_goal', 'act'],
      ['libero_goal', 'pi05'],
    ]);
  });

  it("takes a task's text from the simulator before a prompt, and names what only a target tells", () => {
    const told: AttributedSession = {
      ...finished('s0', null),
      cell: { suite: 'libero_goal', taskId: 3, initStateId: 1, by: 'target' },
    };
    const [both] = groupSessions([told, attributed('s1', ['libero_goal', 3, 0])]);
    expect(both?.plan.tasks).toEqual([{ taskId: 3, language: 'task 3' }]);
    expect(both?.byTarget).toEqual(['s0']);
    expect(groupSessions([told])[0]?.plan.tasks).toEqual([{ taskId: 3, language: 'do something' }]);
  });

  it('gives valid plans that do not depend on the order of the sessions', () => {
    const ran = fc.tuple(fc.constantFrom('a', 'b'), fc.nat(3), fc.nat(3));
    const lists = fc
      .array(ran, { minLength: 1, maxLength: 12 })
      .map((cells) => cells.map((cell, at) => attributed(`s${at}`, cell)))
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(lists, ([all, shuffled]) => {
        const groups = groupSessions(all);
        expect(groupSessions(shuffled)).toEqual(groups);
        for (const group of groups) expect(() => planSchema.parse(group.plan)).not.toThrow();
        expect(groups.flatMap((group) => group.members)).toHaveLength(all.length);
      }),
    );
  });
});
