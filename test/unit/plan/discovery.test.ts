import { describe, expect, it } from 'vitest';
import type { TargetDescription } from '../../../src/describe/description.ts';
import { type DiscoveryRequest, discoverTasks } from '../../../src/plan/discovery.ts';
import { parseTasksFile } from '../../../src/plan/tasks-file.ts';

const description: TargetDescription = {
  runtime: 'LiberoRealRemoteTargetRuntime',
  suite: 'libero_spatial',
  // Task 2 failed to load on the server: ids have a gap.
  tasks: [0, 1, 3].map((taskId) => ({ taskId, name: null, file: null, language: `task ${taskId} ` })),
  actionDim: 7,
  maxChunkSize: 50,
  protocol: {},
};

const discover = (change: Partial<DiscoveryRequest>) =>
  discoverTasks({
    suite: 'libero_spatial',
    wanted: 'all',
    description,
    primed: false,
    config: {},
    tasksFile: null,
    ...change,
  });

describe('discovery from the description', () => {
  it('takes ids and languages of the list as they are', () => {
    expect(discover({})).toMatchObject({
      kind: 'found',
      source: 'describe',
      tasks: [
        { taskId: 0, language: 'task 0 ' },
        { taskId: 1, language: 'task 1 ' },
        { taskId: 3, language: 'task 3 ' },
      ],
    });
    expect(discover({ wanted: [3] })).toMatchObject({ tasks: [{ taskId: 3, language: 'task 3 ' }] });
  });

  it('refuses a task the suite does not have, naming those it has', () => {
    const result = discover({ wanted: [1, 2, 10] });
    expect(result).toMatchObject({ kind: 'refused', problems: [{ code: 'RB342', value: '2,10' }] });
    expect(JSON.stringify(result)).toContain('task 0, 1, 3');
  });

  it('asks for one primer when the server describes another suite, and then stops naming both', () => {
    expect(discover({ suite: 'libero_object' })).toEqual({
      kind: 'needs primer',
      described: 'libero_spatial',
    });
    const stopped = discover({ suite: 'libero_object', primed: true });
    expect(stopped).toMatchObject({ kind: 'refused', problems: [{ code: 'RB340' }] });
    expect(JSON.stringify(stopped)).toMatch(/libero_spatial.*libero_object/);
    expect(discover({ primed: true })).toMatchObject({ kind: 'found', source: 'describe after primer' });
  });

  it('plans from a tasks-file when it may not prime, and says why', () => {
    const tasksFile = parseTasksFile('libero_object: {2: "pick"}', 'tasks.yml');
    const looking = { suite: 'libero_object', mayPrime: false };
    const found = discover({ ...looking, tasksFile });
    expect(found).toMatchObject({ source: 'tasks-file', tasks: [{ taskId: 2, language: 'pick' }] });
    expect(found.kind === 'found' && found.why).toContain('describes libero_spatial');
    expect(discover(looking).kind).toBe('needs primer');
    expect(discover({ suite: 'libero_object', tasksFile }).kind).toBe('needs primer');
  });

  it('keeps the word of the target when a tasks-file disagrees, and says so', () => {
    const tasksFile = parseTasksFile('{libero_spatial: {0: "task 0 ", 1: "other", 9: "more"}}', 'tasks.yml');
    const result = discover({ tasksFile });
    expect(result).toMatchObject({ kind: 'found', source: 'describe', warnings: [{ code: 'RB344' }] });
    expect(JSON.stringify(result)).toContain('task 1;');
  });

  it('refuses by name a task that the target lists without language', () => {
    const tasks = [{ taskId: 0, name: null, file: null, language: null }];
    expect(discover({ description: { ...description, tasks } })).toMatchObject({
      kind: 'refused',
      problems: [{ code: 'RB341' }],
    });
  });
});

describe('static discovery', () => {
  const unavailable = { unavailable: 'the target runs inside the runtime' };

  it('plans the configured task only', () => {
    const config = { benchmark_name: 'maze', task_id: 4, task_description: 'leave the maze' };
    const found = discover({ suite: 'maze', description: unavailable, config });
    expect(found).toMatchObject({
      source: 'target config',
      tasks: [{ taskId: 4, language: 'leave the maze' }],
    });
    const refused = discover({ suite: 'maze', description: unavailable, config, wanted: [4, 5, 6] });
    expect(refused).toMatchObject({ problems: [{ code: 'RB341' }] });
    expect(JSON.stringify(refused)).toContain('language of task 5, 6 is unknown');
    expect(discover({ suite: 'other', description: unavailable, config })).toMatchObject({ kind: 'refused' });
  });

  it('plans the tasks of a file', () => {
    const tasksFile = parseTasksFile('maze:\n  0: go left\n  7: go right\n', 'tasks.yml');
    const result = discover({ suite: 'maze', description: unavailable, tasksFile });
    expect(result).toMatchObject({
      source: 'tasks-file',
      tasks: [{ taskId: 0 }, { taskId: 7, language: 'go right' }],
    });
    expect(result.kind === 'found' && result.why).toContain('inside the runtime');
  });

  it('is used for a target that describes no tasks', () => {
    const result = discover({ description: { ...description, tasks: [] } });
    expect(result).toMatchObject({ kind: 'refused', problems: [{ code: 'RB341' }] });
  });
});

describe('parseTasksFile', () => {
  it('reads a map, a list, and JSON', () => {
    const list = parseTasksFile('[{"task_id": 3, "task_name": "x", "language": "do 3"}]', 't.json');
    expect(list.get(null)?.get(3)).toBe('do 3');
    expect(parseTasksFile('0: yes\n1: no\n', 't.yml').get(null)?.get(0)).toBe('yes');
  });

  it.each(['', 'a: [', '- 1', 'maze: {x: y}', '0: 5', 'x: &a {0: b}\ny: *a'])('refuses %j', (text) => {
    expect(() => parseTasksFile(text, 'tasks.yml')).toThrowError(/RB343 tasks.yml/);
  });
});
