import { describe, expect, it } from 'vitest';
import { chooseSuites } from '../../../src/plan/choose-suites.ts';
import { resolveEndpoints } from '../../../src/plan/endpoints.ts';
import type { SkillFacts, TargetFacts } from '../../../src/plan/pairs.ts';
import { choosePair } from '../../../src/plan/preconditions.ts';
import { targetWarnings } from '../../../src/plan/target-warnings.ts';

const libero: TargetFacts = {
  id: 'libero',
  target_kind: 'simulation',
  enabled: true,
  supported_skillruntimes: ['pi05'],
  runtime: { target_endpoint: 'targetws://127.0.0.1:9002' },
  config: {
    benchmark_name: 'libero_spatial',
    camera_height: 256,
    camera_width: 256,
    max_chunk_size: 50,
    max_steps: 280,
    num_steps_wait: 10,
  },
};
const pi05: SkillFacts = { id: 'pi05', runtime_kind: 'policy', supported_target_kinds: ['simulation'] };
const builtin: SkillFacts = { id: 'walk', runtime_kind: 'builtin', supported_target_kinds: ['simulation'] };

const choose = (
  targets: TargetFacts[],
  skillruntimes: SkillFacts[],
  named: { target?: string; skillruntime?: string; suites?: string[] } = {},
) =>
  choosePair({
    targets,
    skillruntimes,
    target: named.target ?? null,
    skillruntime: named.skillruntime ?? null,
    suites: named.suites ?? null,
  });

describe('choosePair', () => {
  it('needs no names when exactly one pair can be benchmarked', () => {
    const others: TargetFacts[] = [
      { ...libero, id: 'robot', target_kind: 'real_robot' },
      { ...libero, id: 'off', enabled: false },
      { ...libero, id: 'libero--rb-0123abcd' },
    ];
    expect(choose([...others, libero], [builtin, pi05])).toMatchObject({
      ok: true,
      target: { id: 'libero' },
      skillruntime: { id: 'pi05' },
    });
  });

  it('tells targets of several benchmarks apart by the suite', () => {
    const dummy = { ...libero, id: 'dummy', config: {} };
    const suites = ['libero_10', 'libero_goal'];
    expect(choose([dummy, libero], [pi05], { suites })).toMatchObject({ ok: true, target: { id: 'libero' } });
    expect(choose([dummy, libero], [pi05], { suites: ['maze'] })).toMatchObject({ ok: false });
    expect(choose([libero, { ...libero, id: 'b' }], [pi05], { suites })).toMatchObject({ ok: false });
    expect(choose([dummy], [pi05], { suites })).toMatchObject({ ok: true, target: { id: 'dummy' } });
  });

  it('accepts supported skill runtimes with their prefix', () => {
    const prefixed = { ...libero, supported_skillruntimes: ['skillruntime://pi05'] };
    expect(choose([prefixed], [pi05])).toMatchObject({ ok: true });
  });

  it.each([
    ['no simulation target', [{ ...libero, target_kind: 'real_robot' }], [pi05], {}, 'RB300', ''],
    ['only a disabled one', [{ ...libero, enabled: false }], [pi05], {}, 'RB300', 'libero'],
    ['an unknown target', [libero], [pi05], { target: 'x' }, 'RB301', 'libero'],
    [
      'a disabled named target',
      [{ ...libero, enabled: false }],
      [pi05],
      { target: 'libero' },
      'RB302',
      'enabled: true',
    ],
    [
      'a real robot',
      [{ ...libero, target_kind: 'real_robot' }],
      [pi05],
      { target: 'libero' },
      'RB302',
      'simulation',
    ],
    [
      'two candidates',
      [libero, { ...libero, id: 'b' }],
      [pi05],
      {},
      'RB303',
      'libero with pi05, b with pi05',
    ],
    ['an unknown skill runtime', [libero], [pi05], { skillruntime: 'y' }, 'RB304', 'pi05'],
    ['a builtin skill', [libero], [builtin, pi05], { skillruntime: 'walk' }, 'RB305', 'pi05'],
    [
      'an unsupported pair',
      [libero],
      [pi05, { ...pi05, id: 'act' }],
      { skillruntime: 'act' },
      'RB306',
      'act',
    ],
    ['no policy at the target', [{ ...libero, supported_skillruntimes: [] }], [pi05], {}, 'RB307', 'pi05'],
  ])('refuses %s and says how to mend it', (...row) => {
    const [, targets, skills, named, code, inFix] = row;
    const result = choose(targets, skills, named);
    expect(result).toMatchObject({ ok: false, problems: [{ code, severity: 'fatal' }] });
    if (!result.ok) expect(result.problems[0]?.fix).toContain(inFix);
  });

  it('names a wrong target and a wrong skill runtime together', () => {
    const result = choose([libero], [pi05], { target: 'x', skillruntime: 'y' });
    expect(!result.ok && result.problems.map((problem) => problem.code)).toEqual(['RB301', 'RB304']);
  });
});

describe('chooseSuites', () => {
  it('takes what is given, else the suite of the target, else asks', () => {
    expect(chooseSuites(['a', 'b'], libero).suites).toEqual(['a', 'b']);
    expect(chooseSuites(null, libero)).toEqual({ suites: ['libero_spatial'], problems: [] });
    expect(chooseSuites(null, { ...libero, config: {} })).toMatchObject({
      suites: [],
      problems: [{ code: 'RB313' }],
    });
  });
});

describe('resolveEndpoints', () => {
  const none = { policyEndpoint: null, targetEndpoint: null };

  it('prefers what the user gives, then what the target names', () => {
    const target = { ...libero, config: { policy_endpoint: 'openpi://gpu:8000' } };
    expect(resolveEndpoints(target, none)).toEqual({
      policy: 'openpi://gpu:8000',
      target: 'targetws://127.0.0.1:9002',
      targetOverride: null,
      problems: [],
    });
    const given = { policyEndpoint: 'dummy://local', targetEndpoint: 'targetws://[::1]:9100' };
    expect(resolveEndpoints(target, given)).toMatchObject({
      policy: 'dummy://local',
      target: 'targetws://[::1]:9100',
      targetOverride: 'targetws://[::1]:9100',
      problems: [],
    });
  });

  it('asks for a policy endpoint when nobody names one', () => {
    expect(resolveEndpoints(libero, none).problems).toMatchObject([{ code: 'RB308' }]);
  });

  it.each([
    'openpi://host',
    'openpi://host:0',
    'openpi://host:99999',
    'http://h:1',
    'openpi://h:1 ',
    'dummy://other',
    '',
  ])('refuses the policy endpoint %j', (policyEndpoint) => {
    expect(resolveEndpoints(libero, { ...none, policyEndpoint }).problems).toMatchObject([{ code: 'RB309' }]);
  });

  it('refuses credentials without repeating them', () => {
    const { problems } = resolveEndpoints(libero, { ...none, policyEndpoint: 'openpi://me:hunter2@h:1' });
    expect(problems).toMatchObject([{ code: 'RB309' }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('works without a target endpoint for a target inside the runtime', () => {
    const local = { ...libero, runtime: {} };
    expect(resolveEndpoints(local, { ...none, policyEndpoint: 'dummy://local' })).toMatchObject({
      target: null,
      problems: [],
    });
  });
});

describe('targetWarnings', () => {
  const cellConfig = { ...libero.config, record_dir: 'videos' };

  it('knows the chunk trap of the template', () => {
    expect(targetWarnings(libero, [], cellConfig)).toMatchObject([{ code: 'RB310', severity: 'warning' }]);
    const cured = { ...libero, config: { ...libero.config, action: { max_chunk_size: 50 } } };
    expect(targetWarnings(cured, [], cellConfig)).toEqual([]);
  });

  it('warns of targets on the same server that would inherit our settings', () => {
    const cured = {
      ...libero,
      config: { ...libero.config, action: { max_chunk_size: 50 }, record_dir: 'x' },
    };
    const bare = { ...libero, id: 'bare', config: { num_steps_wait: 10 } };
    const elsewhere = { ...bare, id: 'elsewhere', runtime: { target_endpoint: 'targetws://127.0.0.1:9003' } };
    const ours = { ...bare, id: 'libero--rb-01234567' };
    const warnings = targetWarnings(cured, [cured, bare, elsewhere, ours], cellConfig);
    expect(warnings).toMatchObject([{ code: 'RB311', where: 'TARGETS.md bare config' }]);
    expect(warnings[0]?.message).toContain('max_steps, record_dir');
  });

  it('warns when the camera size is left to the runtime', () => {
    const { camera_width: _width, ...config } = {
      ...libero.config,
      action: { max_chunk_size: 50 },
    } as Record<string, unknown>;
    expect(targetWarnings({ ...libero, config }, [], {})).toMatchObject([{ code: 'RB312' }]);
  });
});
