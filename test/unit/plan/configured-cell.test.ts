import { describe, expect, it } from 'vitest';
import { configuredCellWarnings, initStateWarnings } from '../../../src/plan/configured-cell.ts';
import { discoverTasks } from '../../../src/plan/discovery.ts';

const plan = {
  suite: 'libero_spatial',
  tasks: [0, 1, 2].map((taskId) => ({ taskId, language: 'x' })),
  initStates: [0, 1],
};
const warned = (config: Record<string, unknown>) =>
  configuredCellWarnings(plan, { id: 'libero', config }).map(({ message }) => message);

describe('the cell that a target is configured for', () => {
  it('is said where the plan does not measure it, as number or as text', () => {
    expect(warned({ task_id: 2, init_state_id: 1 })).toEqual([]);
    expect(warned({})).toEqual([]);
    expect(warned({ task_id: '7', init_state_id: 12 })).toMatchObject([
      expect.stringMatching(/names task_id 7 and init_state_id 12, which the plan does not measure/),
    ]);
    expect(warned({ task_id: 1, init_state_id: -1 })).toMatchObject([
      expect.stringContaining('init_state_id -1'),
    ]);
    // Ids of another suite.
    expect(warned({ benchmark_name: 'libero_goal', task_id: 7 })).toEqual([]);
  });

  it('is a known task also when its id is written as text', () => {
    const config = { benchmark_name: 'maze', task_id: '4', task_description: 'leave' };
    const description = { unavailable: 'it cannot describe itself' };
    const rest = { suite: 'maze', wanted: 'all', primed: false, tasksFile: null } as const;
    expect(discoverTasks({ ...rest, description, config })).toMatchObject({
      kind: 'found',
      tasks: [{ taskId: 4, language: 'leave' }],
      source: 'target config',
    });
  });
});

describe('initial states that a suite does not have', () => {
  it('are warned of where the number is known', () => {
    const initStates = Array.from({ length: 100 }, (_, id) => id);
    expect(initStateWarnings({ suite: 'libero_goal', initStates })).toMatchObject([
      { code: 'RB361', severity: 'warning', value: '50-99', message: expect.stringContaining('has 50') },
    ]);
    expect(initStateWarnings({ suite: 'libero_goal', initStates: initStates.slice(0, 50) })).toEqual([]);
    expect(initStateWarnings({ suite: 'maze', initStates })).toEqual([]);
    // What the target says of itself counts before what is known of a suite of that name.
    expect(initStateWarnings({ suite: 'maze', initStates }, 20)).toMatchObject([{ value: '20-99' }]);
    expect(initStateWarnings({ suite: 'libero_goal', initStates }, 100)).toEqual([]);
  });
});
