import { describe, expect, it } from 'vitest';
import type { TargetDescription } from '../../../../src/describe/description.ts';
import { describedChange } from '../../../../src/job/measure/lend-lane.ts';

const PROTOCOL = { simulator_versions: { mujoco_version: '3.2' }, env_seed: 7, init_state_source: 'abc' };

function described(suite: string, protocol: TargetDescription['protocol']): TargetDescription {
  return { runtime: 'kit', suite, tasks: [], actionDim: 7, maxChunkSize: 50, protocol };
}

describe('what a target says of itself after the host was lent', () => {
  const before = described('a', PROTOCOL);

  it('is the same when nothing of it changed', () => {
    expect(describedChange(before, described('a', { ...PROTOCOL }))).toBeNull();
  });

  it('is another when any part of it changed, came or went, and the message names it', () => {
    expect(describedChange(before, described('a', { ...PROTOCOL, env_seed: 8 }))).toContain('env_seed');
    expect(describedChange(before, described('a', { ...PROTOCOL, gl_backend: 'egl' }))).toContain(
      'gl_backend',
    );
    const { init_state_source: _gone, ...less } = PROTOCOL;
    expect(describedChange(before, described('a', less))).toContain('init_state_source');
    expect(describedChange(before, { ...before, runtime: 'other' })).toContain('its runtime is other');
  });

  it('is held against its versions alone where another suite was configured meanwhile', () => {
    expect(describedChange(before, described('b', { ...PROTOCOL, init_state_source: 'of b' }))).toBeNull();
    const newer = { ...PROTOCOL, simulator_versions: { mujoco_version: '3.3' } };
    expect(describedChange(before, described('b', newer))).toContain('simulator_versions');
  });
});
