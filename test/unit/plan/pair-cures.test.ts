import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curesOf, withCure } from '../../../src/plan/pair-cures.ts';
import type { PairRequest, SkillFacts, TargetFacts } from '../../../src/plan/pairs.ts';
import { choosePair } from '../../../src/plan/preconditions.ts';

type Request = PairRequest<TargetFacts, SkillFacts>;

const target = (id: string, change: Partial<TargetFacts> = {}): TargetFacts => ({
  id,
  target_kind: 'simulation',
  enabled: true,
  supported_skillruntimes: [],
  runtime: { target_endpoint: 'targetws://127.0.0.1:9002' },
  config: {},
  ...change,
});
const skill = (id: string, change: Partial<SkillFacts> = {}): SkillFacts => ({
  id,
  runtime_kind: 'policy',
  supported_target_kinds: ['simulation'],
  ...change,
});
const wish = { target: null, skillruntime: null, suites: null };

const gateway = target('gateway', {
  supported_skillruntimes: ['sam'],
  runtime: { target_endpoint: 'http://127.0.0.1:9001' },
});
const libero = target('libero', { enabled: false, supported_skillruntimes: ['pi05'] });

function refusal(request: Request): { code: string; fix: string } {
  const choice = choosePair(request);
  const [problem] = choice.ok ? [] : choice.problems;
  if (problem === undefined) throw new Error('was not refused');
  return problem;
}

describe('what a refused choice of target and skill runtime advises', () => {
  const skills = [skill('sam', { runtime_kind: 'builtin' }), skill('pi05')];

  it('names the disabled simulation first, and never a target whose endpoint would be refused next', () => {
    const found = refusal({ ...wish, targets: [gateway, libero], skillruntimes: skills });
    expect(found).toMatchObject({ code: 'RB307', fix: 'Set enabled: true at libero in TARGETS.md.' });
    const local = target('local', { runtime: {} });
    expect(refusal({ ...wish, targets: [local, libero], skillruntimes: skills }).fix).toBe(
      'Set enabled: true at libero in TARGETS.md, or list pi05 in supported_skillruntimes of local.',
    );
  });

  it('names the other target beside enabling it when the user named one', () => {
    const named = { ...wish, target: 'gateway', targets: [gateway, libero], skillruntimes: skills };
    expect(refusal(named).fix).toBe('Set enabled: true at libero in TARGETS.md and name target libero.');
  });

  it('does not offer a robot, and says what to add when nothing can be made to fit', () => {
    const robot = target('arm', { target_kind: 'real_robot', supported_skillruntimes: ['pi05'] });
    const unknown = { ...wish, target: 'x', targets: [robot, gateway], skillruntimes: skills };
    expect(refusal(unknown)).toMatchObject({ code: 'RB301' });
    expect(refusal(unknown).fix).toBe(
      'Add a simulation target to TARGETS.md that lists pi05 in supported_skillruntimes. The endpoint of gateway is malformed.',
    );
    expect(refusal({ ...wish, targets: [libero], skillruntimes: skills.slice(0, 1) }).fix).toMatch(
      /^Add a skill runtime of kind policy/,
    );
  });

  it('is followed by a choice, whatever the registries hold and the user names', () => {
    const ids = ['a', 'b', 'c'];
    const targets = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom(...ids),
        target_kind: fc.constantFrom('simulation', 'simulation', 'real_robot'),
        enabled: fc.boolean(),
        supported_skillruntimes: fc.uniqueArray(fc.constantFrom('p', 'q', 'skillruntime://p', 'gone')),
        runtime: fc.record({
          target_endpoint: fc.constantFrom(null, 'targetws://h:1', 'http://h:1'),
        }),
        config: fc.constantFrom({}, { benchmark_name: 'libero_goal' }, { benchmark_name: 'maze' }),
      }),
      { selector: ({ id }) => id },
    );
    const skillruntimes = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('p', 'q'),
        runtime_kind: fc.constantFrom('policy', 'policy', 'builtin'),
        supported_target_kinds: fc.constantFrom(['simulation'], ['real_robot']),
      }),
      { selector: ({ id }) => id },
    );
    const requests = fc.record({
      targets,
      skillruntimes,
      target: fc.constantFrom(null, 'x', ...ids),
      skillruntime: fc.constantFrom(null, 'p', 'q', 'y'),
      suites: fc.constantFrom(null, ['libero_goal'], ['maze']),
    });
    fc.assert(
      fc.property(requests, (request) => {
        fc.pre(!choosePair(request).ok);
        for (const cure of curesOf(request)) {
          const choice = choosePair(withCure(request, cure));
          expect(choice.ok).toBe(true);
          if (choice.ok) expect(choice.target.runtime.target_endpoint).not.toBe('http://h:1');
        }
      }),
      { numRuns: 500 },
    );
  });
});
