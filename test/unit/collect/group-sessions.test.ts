import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FinishedSession, groupSessions } from '../../../src/app/collect/group-sessions.ts';
import { classify } from '../../../src/outcome/classify.ts';
import { planSchema } from '../../../src/plan/plan.ts';

const nothing = classify({
  plan: null,
  cell: null,
  evidence: { sessionId: 's', session: null, log: null, episode: { state: 'absent' } },
});

function session(sessionId: string, ran: readonly [string, number, number] | null): FinishedSession {
  const executed =
    ran === null
      ? null
      : { benchmark: ran[0], taskId: ran[1], initStateId: ran[2], language: `task ${ran[1]}` };
  return {
    sessionId,
    target: 'target-a',
    skillruntime: 'pi05',
    prompt: ran === null ? 'do something' : 'x',
    maxPolicyCalls: 220,
    replanEverySteps: null,
    actionChunkMode: null,
    sessionTimeoutS: 60,
    policyTimeoutS: null,
    found: { ...nothing, executed },
  };
}

describe('groupSessions', () => {
  it('makes a suite of what ran, and runs of states that ran again', () => {
    const [group, ...rest] = groupSessions([
      session('s1', ['libero_goal', 3, 0]),
      session('s2', ['libero_goal', 3, 0]),
      session('s3', ['libero_goal', 1, 7]),
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

  it('keeps faults apart, by target and prompt', () => {
    const groups = groupSessions([
      session('s1', ['libero_goal', 3, 0]),
      session('s2', null),
      session('s3', ['x', 0, -1]),
    ]);
    expect(groups.map((group) => [group.plan.suite, group.tasksBy, group.members.length])).toEqual([
      ['libero_goal', 'evidence', 1],
      ['target-a', 'prompt', 2],
    ]);
    expect(groups[1]?.plan.tasks.map((task) => task.language)).toEqual(['do something', 'x']);
  });

  it('gives valid plans that do not depend on the order of the sessions', () => {
    const ran = fc.option(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(3), fc.nat(3)));
    const lists = fc
      .array(ran, { minLength: 1, maxLength: 12 })
      .map((cells) => cells.map((cell, at) => session(`s${at}`, cell)))
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
