import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributedSession, KnownTarget, Unattributable } from '../../../src/app/collect/attribute.ts';
import { type Grouped, type GroupRequest, groupSessions } from '../../../src/app/collect/group-sessions.ts';
import { planSchema } from '../../../src/model/plan.ts';
import { parseWanted } from '../../../src/plan/wanted.ts';
import { attributed, finished, knownTarget } from './finished-sessions.ts';

function grouped(sessions: readonly AttributedSession[], more: Partial<GroupRequest> = {}): Grouped {
  return groupSessions({
    sessions,
    unattributable: [],
    targets: new Map(),
    chosen: false,
    wanted: null,
    ...more,
  });
}

const lost = (sessionId: string, more: Parameters<typeof finished>[2] = {}): Unattributable => ({
  session: finished(sessionId, null, more),
  reason: 'its evidence does not name task and initial state',
});

describe('groupSessions', () => {
  it('makes a suite of what ran, and runs of states that ran again', () => {
    const [group, ...rest] = grouped([
      attributed('s1', ['libero_goal', 3, 0]),
      attributed('s2', ['libero_goal', 3, 0]),
      attributed('s3', ['libero_goal', 1, 7]),
    ]).groups;
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

  const B = 'openpi://10.0.0.1:8001';
  it.each([
    ['suite', attributed('s2', ['libero_10', 3, 0])],
    ['skill runtime', attributed('s2', ['libero_goal', 3, 0], { skillruntime: 'act' })],
    ['policy endpoint', attributed('s2', ['libero_goal', 3, 0], { policyEndpoint: B })],
    ['unknown policy endpoint', attributed('s2', ['libero_goal', 3, 0], { policyEndpoint: null })],
    ['policy name', attributed('s2', ['libero_goal', 3, 0], { policyId: 'pi05' })],
    ['target endpoint', attributed('s2', ['libero_goal', 3, 0], { targetEndpoint: 'targetws://b:1' })],
    ['target family', attributed('s2', ['libero_goal', 3, 0], { target: 'other' })],
    [
      'chunk length',
      attributed('s2', ['libero_goal', 3, 0], { execution: { max_steps: 220, replan_every: 4 } }),
    ],
    ['verifier', attributed('s2', ['libero_goal', 3, 0], { verification: 'recovery' })],
    ['safety profile', attributed('s2', ['libero_goal', 3, 0], { safety: '{"profile":"slow"}' })],
  ])('never pools sessions of another %s', (_what, other) => {
    const { groups } = grouped([attributed('s1', ['libero_goal', 3, 0]), other], {
      targets: new Map([['other', knownTarget(null, { family: 'another' })]]),
    });
    expect(
      groups.map(({ members }) => members.map(({ session }) => session.sessionId).join()).toSorted(),
    ).toEqual(['s1', 's2']);
    expect(groups.map(({ plan }) => plan.repeats)).toEqual([1, 1]);
  });

  it('does not take two tasks under one number for two runs of one', () => {
    const [now, then] = [attributed('s1', ['libero_goal', 3, 0]), attributed('s2', ['libero_goal', 3, 0])];
    const executed = { benchmark: 'libero_goal', taskId: 3, initStateId: 0, language: 'open the drawer' };
    const other = { ...then, found: { ...then.found, executed } };
    expect(() => grouped([now, other])).toThrow(/RB535 .*task 3, initial state 0.*--since/);
  });

  it('states no step limit of TARGETS.md that an episode has passed', () => {
    const session = attributed('s1', ['libero_goal', 3, 0]);
    const targets = new Map([['target-a', knownTarget(null)]]);
    const settings = (steps: number) =>
      grouped([{ ...session, found: { ...session.found, steps } }], { targets }).groups[0]?.settings;
    expect(settings(280)?.limits.maxSteps).toBe(280);
    expect(settings(520)?.limits.maxSteps).toBeNull();
    expect(settings(520)?.stated['maxSteps']).toMatch(/says 280 now, but an episode ran 520 steps/);
  });

  it('puts targets together that differ in nothing but their episode, and names them all', () => {
    const ids = ['libero_t03_i000', 'libero_t03_i001', 'libero--rb-0a1b2c3d'];
    const sessions = ids.map((target, at) => attributed(`s${at}`, ['libero_goal', 3, at], { target }));
    const targets = new Map(ids.map((id, at) => [id, knownTarget(['libero_goal', 3, at])]));
    const known = grouped(sessions, { targets }).groups;
    expect(known.map((group) => group.targets)).toEqual([ids.toSorted()]);
    // Gone from TARGETS.md, their ids still tell what marks an episode in them.
    expect(grouped(sessions).groups.map((group) => group.targets)).toEqual([ids.toSorted()]);
  });

  it("takes a task's text from the simulator before a prompt", () => {
    const told: AttributedSession = {
      ...finished('s0', null),
      cell: { suite: 'libero_goal', taskId: 3, initStateId: 1, by: 'target' },
    };
    const [both] = grouped([told, attributed('s1', ['libero_goal', 3, 0])]).groups;
    expect(both?.plan.tasks).toEqual([{ taskId: 3, language: 'task 3' }]);
    expect(grouped([told]).groups[0]?.plan.tasks).toEqual([{ taskId: 3, language: 'do something' }]);
  });

  it('gives valid plans that do not depend on the order of the sessions', () => {
    const ran = fc.tuple(fc.constantFrom('a', 'b'), fc.nat(3), fc.nat(3), fc.constantFrom(null, B));
    const lists = fc
      .array(ran, { minLength: 1, maxLength: 12 })
      .map((cells) =>
        cells.map(([suite, task, state, policyEndpoint], at) =>
          attributed(`s${at}`, [suite, task, state], { policyEndpoint }),
        ),
      )
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(lists, ([all, shuffled]) => {
        const found = grouped(all);
        expect(grouped(shuffled)).toEqual(found);
        for (const group of found.groups) expect(() => planSchema.parse(group.plan)).not.toThrow();
        expect(found.groups.flatMap((group) => group.members)).toHaveLength(all.length);
      }),
    );
  });
});

describe('sessions whose episode nothing tells', () => {
  const ran = [attributed('s1', ['libero_goal', 3, 0]), attributed('s2', ['libero_goal', 3, 1])];

  it('take the place of an episode in the group of their target, policy and settings', () => {
    const { groups, leftOut } = grouped(ran, {
      unattributable: [lost('s3'), lost('s4', { policyEndpoint: null })],
    });
    expect(groups[0]?.plan.unattributed).toBe(2);
    expect(groups[0]?.plan.cells).toHaveLength(2);
    expect(leftOut).toEqual([]);
  });

  it('are left out where they fit nothing, unless the user chose them', () => {
    const other = [lost('s3', { target: 'dummy', skillruntime: 'dummy' })];
    const free = grouped(ran, { unattributable: other });
    expect(free.leftOut.map(({ session }) => session.sessionId)).toEqual(['s3']);
    expect(free.groups[0]?.plan.unattributed).toBeUndefined();
    const chosen = grouped(ran, { unattributable: other, chosen: true });
    expect(chosen.leftOut).toEqual([]);
    expect(chosen.groups[0]?.plan.unattributed).toBe(1);
  });

  it('count in each group that they may belong to', () => {
    const two = [...ran, attributed('s9', ['libero_10', 0, 0])];
    const shared = new Map<string, KnownTarget>([['target-a', knownTarget(['libero_10', 0, 0])]]);
    const { groups } = grouped(two, { unattributable: [lost('s3')], targets: shared });
    expect(groups.map(({ plan }) => [plan.suite, plan.unattributed])).toEqual([
      ['libero_10', 1],
      ['libero_goal', 1],
    ]);
    expect(groups[0]?.unattributed[0]?.reason).toMatch(/may belong to another report/);
  });
});

describe('what the user says was planned', () => {
  it('leaves cells that nobody ran open', () => {
    const [group] = grouped([attributed('s1', ['libero_goal', 1, 0])], { wanted: parseWanted('2x3') }).groups;
    expect(group?.plan.cells).toHaveLength(6);
    expect(group?.members.map(({ position }) => position)).toEqual([3]);
    expect(group?.plan.tasks).toEqual([
      { taskId: 0, language: '' },
      { taskId: 1, language: 'task 1' },
    ]);
  });

  it('takes a session after an error as another try of the same episode', () => {
    const error = attributed('s1', ['libero_goal', 0, 0], { endedAt: '2026-11-29T12:00:00Z' });
    const first = { ...error, found: { ...error.found, outcome: 'error' as const } };
    const again = attributed('s0', ['libero_goal', 0, 0]);
    const good = { ...again, found: { ...again.found, outcome: 'success' as const } };
    const [group] = grouped([good, first], { wanted: parseWanted('1x1') }).groups;
    expect(
      group?.members.map(({ session, position, attempt }) => [session.sessionId, position, attempt]),
    ).toEqual([
      ['s1', 0, 0],
      ['s0', 0, 1],
    ]);
  });

  it('refuses evidence beyond it', () => {
    const sessions = [attributed('s1', ['libero_goal', 7, 0]), attributed('s2', ['libero_goal', 0, 0])];
    expect(() => grouped(sessions, { wanted: parseWanted('2x3') })).toThrow(
      expect.objectContaining({ exitCode: 3, problems: [expect.objectContaining({ code: 'RB525' })] }),
    );
  });

  it('tells a second run of a planned cell from a cell that was not planned', () => {
    const sessions = ['s1', 's2'].map((id) => attributed(id, ['libero_goal', 0, 0]));
    const ran = sessions.map((each) => ({ ...each, found: { ...each.found, outcome: 'success' as const } }));
    expect(() => grouped(ran, { wanted: parseWanted('10x1') })).toThrow(
      /s2 \(task 0, initial state 0, again: that cell was planned once\)/,
    );
    const other = [...ran, attributed('s3', ['libero_goal', 0, 1])];
    expect(() => grouped(other, { wanted: parseWanted('10x1x2') })).toThrow(/s3 \(task 0, initial state 1\)/);
  });

  it.each([
    ['10x50', 10, 50, 1],
    ['3-7x0-9', 5, 10, 1],
    ['3-3 x 0,2,4 x 2', 1, 3, 2],
  ])('reads %s', (text, tasks, states, runs) => {
    const wanted = parseWanted(text);
    expect([wanted.tasks.length, wanted.initStates.length, wanted.runs]).toEqual([tasks, states, runs]);
  });

  it.each([
    '',
    '10',
    '10x',
    'x',
    '0x5',
    '10x50x0',
    '1x2x3x4',
    'axb',
    '9-3x5',
    '999999x999999',
    '-1x2',
    '1.5x2',
  ])('refuses %j', (text) => {
    expect(() => parseWanted(text)).toThrow(
      expect.objectContaining({ exitCode: 2, problems: [expect.objectContaining({ code: 'RB526' })] }),
    );
  });
});

describe('the settings of a group', () => {
  const targets = new Map([['target-a', knownTarget(null)]]);
  it('are what documents state, each with its place', () => {
    const [group] = grouped([attributed('s1', ['libero_goal', 3, 0])], { targets }).groups;
    expect(group?.settings).toMatchObject({
      limits: {
        maxSteps: 280,
        settleSteps: 10,
        maxPolicyCalls: 220,
        replanEverySteps: 8,
        actionChunkMode: null,
      },
      policyEndpoint: 'openpi://10.0.0.1:8000',
      targetEndpoint: 'targetws://sim:9002',
      stated: {
        replanEverySteps: 'SESSIONS.md execution.replan_every',
        maxSteps: 'TARGETS.md config.max_steps, as it is now',
        policyEndpoint: 'SESSIONS.md routing.policy_endpoint',
      },
    });
    expect(group?.settings.stated).not.toHaveProperty('actionChunkMode');
  });

  it('are unknown where sessions differ, and the difference is said', () => {
    const [group] = grouped([
      attributed('s1', ['libero_goal', 3, 0]),
      attributed('s2', ['libero_goal', 3, 1], { sessionTimeoutS: 90 }),
    ]).groups;
    expect(group?.settings.limits.sessionTimeoutS).toBeNull();
    expect(group?.settings.stated['sessionTimeoutS']).toMatch(/^differs between sessions: 60, 90/);
    expect(group?.settings.limits.maxSteps).toBeNull();
  });
});
