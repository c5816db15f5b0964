import { describe, expect, it } from 'vitest';
import { cellTargetConfig, scoreConfig, stepLimits } from '../../../src/plan/cell-config.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { planRequest } from './plan-request.ts';

/** The LIBERO entry as the runtime's template ships it. */
const template = {
  benchmark_name: 'libero_spatial',
  task_id: 0,
  init_state_id: 0,
  camera_height: 256,
  camera_width: 256,
  action_dim: 7,
  max_chunk_size: 50,
  max_steps: 280,
  num_steps_wait: 10,
};

const cell = { taskId: 3, initStateId: 7, runIndex: 0, arm: 'candidate' } as const;

const planFor = (base: Record<string, unknown>, suite = 'libero_object') =>
  makePlan(planRequest({ suite, targetConfig: scoreConfig(base, suite, null) }));

describe('cellTargetConfig', () => {
  it('names suite, task, initial state and limits of the cell and cures the chunk limit', () => {
    expect(cellTargetConfig(template, planFor(template), cell)).toEqual({
      ...template,
      benchmark_name: 'libero_object',
      task_id: 3,
      init_state_id: 7,
      max_steps: 220,
      action: { action_dim: 7, max_chunk_size: 50 },
    });
  });

  it('keeps recording and other keys of the host in the cell target but out of the plan', () => {
    const base = {
      ...template,
      record_dir: 'videos',
      record_fps: 10,
      policy_endpoint: 'openpi://h:1',
      assets: '/data/x',
    };
    const plan = planFor(base);
    expect(Object.keys(plan.targetConfig).sort()).toEqual([
      'action',
      'action_dim',
      'camera_height',
      'camera_width',
      'max_chunk_size',
    ]);
    expect(cellTargetConfig(base, plan, cell)).toMatchObject({
      record_dir: 'videos',
      record_fps: 10,
      assets: '/data/x',
    });
  });

  it('keeps a path or an address inside a longer or nested value out of the plan, and other values in it', () => {
    const base = {
      notes: 'see /home/alice/notes/x.txt',
      assets: { mesh: ['/opt/meshes/bowl'] },
      server: { url: 'ws://10.0.0.1:1' },
      unit: 'm/s and/or mm',
      seed: 3,
    };
    expect(Object.keys(scoreConfig(base, 'other_suite', null)).sort()).toEqual(['seed', 'unit']);
  });

  it('does not carry the description of the user task to another task', () => {
    const base = { ...template, task_description: 'of task 0' };
    expect(cellTargetConfig(base, planFor(base), cell)).toMatchObject({ task_description: 'do task 3' });
  });

  it('fills action keys of a bare LIBERO target and leaves an unknown benchmark alone', () => {
    expect(scoreConfig({}, 'libero_10', null)).toEqual({
      action_dim: 7,
      max_chunk_size: 50,
      action: { action_dim: 7, max_chunk_size: 50 },
    });
    expect(scoreConfig({ level: 2 }, 'maze', null)).toEqual({ level: 2 });
    expect(scoreConfig({}, 'maze', { actionDim: 3, maxChunkSize: 8 })).toMatchObject({
      action: { action_dim: 3, max_chunk_size: 8 },
    });
  });

  it('respects a chunk limit where the runtime reads it', () => {
    expect(scoreConfig({ max_chunk_size: 50, chunk_size: 8 }, 'libero_10', null)).toMatchObject({
      action: { max_chunk_size: 8 },
    });
    expect(
      scoreConfig({ chunk_size: 8, action: { max_chunk_size: 16, x: 1 } }, 'libero_10', null),
    ).toMatchObject({
      action: { max_chunk_size: 16, x: 1 },
    });
  });
});

describe('stepLimits', () => {
  it('takes the asked cap, then the published one, then the target own', () => {
    expect(stepLimits('libero_10', template, { maxSteps: 30 })).toEqual({ maxSteps: 30, settleSteps: 10 });
    expect(stepLimits('libero_10', template, { maxSteps: null })).toEqual({ maxSteps: 520, settleSteps: 10 });
    expect(stepLimits('maze', { max_steps: 77 }, { maxSteps: null })).toEqual({
      maxSteps: 77,
      settleSteps: null,
    });
    expect(stepLimits('maze', {}, { maxSteps: null })).toEqual({ maxSteps: null, settleSteps: null });
  });

  it.each([
    ['libero_spatial', 220],
    ['libero_object', 280],
    ['libero_goal', 300],
    ['libero_10', 520],
    ['libero_90', 400],
  ])('knows the published cap of %s', (suite, cap) => {
    expect(stepLimits(suite, {}, { maxSteps: null })).toEqual({ maxSteps: cap, settleSteps: 10 });
  });
});
