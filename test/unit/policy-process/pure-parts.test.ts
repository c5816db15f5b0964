import { describe, expect, it } from 'vitest';
import { otherCommit } from '../../../src/policy-process/commit-claim.ts';
import { commandAt, commandEnvironment, notHandedOver } from '../../../src/policy-process/environment.ts';
import { shortOf } from '../../../src/policy-process/fitting.ts';
import { type Life, type LifeEvent, lived, UNBORN } from '../../../src/policy-process/lifecycle.ts';

const lifeAfter = (...events: readonly LifeEvent[]): { life: Life; starts: number } =>
  events.reduce(
    (at, event) => {
      const { life, start } = lived(at.life, event);
      return { life, starts: at.starts + (start ? 1 : 0) };
    },
    { life: UNBORN, starts: 0 },
  );
const died: LifeEvent = { type: 'died', why: 'exit code 3' };

describe('the life of a started policy', () => {
  it('is not begun again when it never answered', () => {
    const { life, starts } = lifeAfter({ type: 'start' }, died);
    expect({ starts, phase: life.phase }).toEqual({
      starts: 1,
      phase: { kind: 'failed', how: { kind: 'early', why: 'exit code 3' } },
    });
  });

  it('is begun again once after it answered, and its death is told once', () => {
    const first = lifeAfter({ type: 'start' }, { type: 'answered' }, died);
    expect(first).toMatchObject({ starts: 2, life: { phase: { kind: 'starting' }, untold: 'exit code 3' } });
    const second = lifeAfter({ type: 'start' }, { type: 'answered' }, died, { type: 'told' }, died);
    expect(second).toMatchObject({ starts: 2, life: { phase: { kind: 'failed', how: { kind: 'again' } } } });
  });

  it('has one restart in all, however often it has its turn', () => {
    const turn: LifeEvent[] = [{ type: 'start' }, { type: 'answered' }];
    const { life } = lifeAfter(...turn, died, { type: 'answered' }, { type: 'stop' }, ...turn, died);
    expect(life.phase).toMatchObject({ kind: 'failed' });
  });
});

describe('what a command gets', () => {
  it('is its port, and nothing of the job', () => {
    expect(commandAt(`serve --port {port} # \${port}`, 8123)).toBe(`serve --port 8123 # \${port}`);
    const own = { PATH: '/bin', HOME: '/root', GITHUB_TOKEN: 'x', CUDA: '1' };
    expect(commandEnvironment(own, { port: 1, token: 't', names: ['CUDA', 'ABSENT'] })).toEqual({
      PATH: '/bin',
      HOME: '/root',
      CUDA: '1',
      PORT: '1',
      ROLLOUT_BENCH_POLICY: 't',
    });
    const refused = [
      'GITHUB_SHA',
      'ACTIONS_X',
      'INPUT_A',
      'github_token',
      'PORT',
      'A-B',
      'ROLLOUT_BENCH_POLICY',
    ];
    expect(refused.filter((name) => notHandedOver(name) === null)).toEqual([]);
    expect(notHandedOver('CUDA_VISIBLE_DEVICES')).toBeNull();
  });
});

describe('a commit that metadata names', () => {
  const commit = '1f3c2a9d0b7e4c5f8a6b1c2d3e4f5a6b7c8d9e0f';
  it.each([
    [{ git_commit: '1f3c2a9' }, null],
    [{ commit }, null],
    [{ revision: 'main' }, null],
    [{ model: 'deadbeef' }, null],
    [{ commit: 'deadbeef' }, { key: 'commit', says: 'deadbeef' }],
    [{ build: { 'git-sha': 'DEADBEEF' } }, { key: 'build.git-sha', says: 'DEADBEEF' }],
  ])('%j', (metadata, expected) => {
    expect(otherCommit(metadata, commit)).toEqual(expected);
  });
});

describe('whether two policies fit', () => {
  it.each([
    ['a small one', { ramMib: 16_000, gpusMib: null }, { ramMib: 15_900, gpusMib: null }, null],
    [
      'half of the memory',
      { ramMib: 16_000, gpusMib: null },
      { ramMib: 8000, gpusMib: null },
      /^memory: one policy took 8000 MiB/,
    ],
    [
      'most of a GPU',
      { ramMib: null, gpusMib: [24_000] },
      { ramMib: null, gpusMib: [6000] },
      /^memory of GPU 0/,
    ],
    ['nobody can tell', { ramMib: null, gpusMib: null }, { ramMib: null, gpusMib: null }, null],
  ])('%s', (_, before, now, expected) => {
    const short = shortOf(before, now);
    if (expected === null) expect(short).toBeNull();
    else expect(short).toMatch(expected);
  });
});
