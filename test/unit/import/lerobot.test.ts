import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WhyNot } from '../../../src/base/why-not.ts';
import { stateRule } from '../../../src/import/formats/lerobot/init-states.ts';
import { countsOf, rates, readSample } from './read-sample.ts';

/** An eval_info.json of these tasks, in this order. */
function evalInfo(
  tasks: readonly (readonly [group: string, id: number, outcomes: readonly boolean[]])[],
): string {
  const file = join(mkdtempSync(join(tmpdir(), 'lerobot-')), 'eval_info.json');
  const perTask = tasks.map(([task_group, task_id, successes]) => ({
    task_group,
    task_id,
    metrics: { successes },
  }));
  writeFileSync(file, JSON.stringify({ per_task: perTask, overall: {} }));
  return file;
}

describe('eval_info.json of LeRobot', () => {
  it('0.4 and later: counts from the outcomes of each task, and a task that was not run is none', async () => {
    const { format, records, suites } = await readSample('lerobot-0.4-multi');
    expect(format).toBe('lerobot');
    expect(countsOf(records)).toEqual({ success: 6, failure: 3 });
    expect(rates(records)).toEqual({
      'libero_spatial/0': '2/3',
      'libero_spatial/2': '1/3',
      'libero_object/1': '3/3',
    });
    expect(suites.map(({ facts }) => facts.planned)).toEqual([null, null]);
    expect(records.every(({ steps, cellsBy }) => steps === null && cellsBy === 'order')).toBe(true);
  });

  it('to 0.3: episodes are told by their seeds', async () => {
    const { records } = await readSample('lerobot-0.3-single');
    expect(countsOf(records)).toEqual({ success: 3, failure: 1 });
    expect(records.map(({ initStateId }) => initStateId)).toEqual([1000, 1001, 1002, 1003]);
    expect(records[0]?.cellsBy).toBe('seed');
  });

  it('bare NaN of an empty run is read, and no episode is no rate', async () => {
    const { imported, problems } = await readSample('lerobot-0.4-nan');
    expect(imported.episodes).toEqual([]);
    expect(problems).toMatchObject([{ code: 'RB908' }]);
  });

  it('a percentage is told as one, and agrees with the counts', async () => {
    const { imported } = await readSample('lerobot-0.4-multi');
    const told = imported.figures.filter(({ name }) => name === 'overall.pc_success');
    expect(told).toEqual([
      { name: 'overall.pc_success', suite: null, told: '66.6667%', counted: '6/9 = 66.7%', why: null },
    ]);
  });

  it('the order in which parallel tasks ended changes nothing', async () => {
    const tasks = [
      ['libero_goal', 0, [true, false]],
      ['libero_goal', 1, [true, true]],
      ['libero_10', 3, [false, false]],
    ] as const;
    const [one, other] = await Promise.all([
      readSample(evalInfo(tasks)),
      readSample(evalInfo([...tasks].reverse())),
    ]);
    const known = (records: typeof one.records) =>
      records.map(({ suite, taskId, initStateId, outcome }) => [suite, taskId, initStateId, outcome]);
    expect(known(other.records)).toEqual(known(one.records));
  });

  it('a task that is there twice is named with both places', async () => {
    const { problems } = await readSample(
      evalInfo([
        ['libero_goal', 0, [true]],
        ['libero_goal', 0, [false]],
      ]),
    );
    expect(problems).toMatchObject([
      {
        code: 'RB903',
        where: expect.stringContaining('per_task[1].metrics.successes[0]'),
        message: expect.stringContaining('per_task[0].metrics.successes[0]'),
      },
    ]);
  });

  it('what was planned and is not there counts as not run; what nobody planned is refused', async () => {
    const file = evalInfo([['libero_goal', 0, [true, true, false]]]);
    const { records } = await readSample(file, { planned: '2x5' });
    expect(countsOf(records)).toEqual({ success: 2, failure: 1, not_run: 7 });
    const beyond = await readSample(file, { planned: '1x2' });
    expect(beyond.problems).toMatchObject([
      { code: 'RB904', message: expect.stringContaining('2 were planned') },
    ]);
  });
});

describe('initial states by the version of LeRobot', () => {
  const states = (asked: string, n: number): readonly number[] | string => {
    const rule = stateRule(asked);
    return rule instanceof WhyNot ? rule.why : Array.from({ length: n }, (_, index) => rule.stateOf(index));
  };

  it('from 0.6.1 on an episode begins in the state of its number', () => {
    expect(states('version-rule:0.6.1', 4)).toEqual([0, 1, 2, 3]);
    const rule = stateRule('version-rule:0.6.1');
    expect(rule instanceof WhyNot ? rule.why : rule.stateOf(50)).toBe(0);
  });

  it('before 0.4.4 an environment of the batch keeps its own', () => {
    expect(states('version-rule:0.4.3,batch=1', 3)).toEqual([0, 0, 0]);
    expect(states('version-rule:0.4.0,batch=3', 7)).toEqual([0, 1, 2, 0, 1, 2, 0]);
    expect(states('version-rule:0.4.3', 3)).toContain('batch');
  });

  it('between them nothing tells, and that is no guess', () => {
    for (const version of ['0.4.4', '0.5.1', '0.6.0'])
      expect(states(`version-rule:${version}`, 3)).toContain('skips');
    expect(states('version-rule', 3)).toContain('write its version');
    expect(states('0.6.1', 3)).toContain('no rule');
  });

  it('episodes of one state are runs of it', async () => {
    const file = evalInfo([['libero_goal', 0, [true, false, true, true]]]);
    const { records } = await readSample(file, { initStates: 'version-rule:0.4.2,batch=2' });
    expect(records.map(({ initStateId, runIndex }) => [initStateId, runIndex])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(records[0]?.cellsBy).toBeUndefined();
  });
});
