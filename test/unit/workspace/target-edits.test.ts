import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { addTargets } from '../../../src/workspace/add-targets.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { findYamlBlock } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { removeTargets } from '../../../src/workspace/target-edits.ts';

const TARGETS = `# Runtime Targets

Ask Ana before you change the robot.

\`\`\`yaml
version: runtime_target_registry_v1
targets:
  # the simulator
  - id: libero   # trailing
    target_class: remote
    target_kind: simulation
    workspace: workspaces/libero
    runtime: &proxy
      target_runtime: LiberoRemoteTargetProxy
      target_adapter: target_adapter://libero_adapter
      runtime_contract_ref: configs/runtime/contracts/libero.runtime.yaml
    config: {benchmark_name: libero_spatial, task_id: 0}

  - target_kind: real_robot
    id: arm
    runtime: *proxy
    config:
      note: |+
        - id: not a target

  # keep this comment last
\`\`\`

After.
`;

function cellTarget(id: string): Record<string, unknown> {
  return {
    id,
    target_class: 'remote',
    target_kind: 'simulation',
    enabled: true,
    workspace: 'workspaces/libero',
    supported_skillruntimes: ['pi05_libero_remote'],
    runtime: {
      target_runtime: 'LiberoRemoteTargetProxy',
      target_endpoint: 'targetws://127.0.0.1:9002',
      target_adapter: 'target_adapter://libero_adapter',
      runtime_contract_ref: `configs/runtime/contracts/${id}.runtime.yaml`,
    },
    config: {
      benchmark_name: 'libero_spatial',
      task_id: 3,
      init_state_id: 7,
      action: { max_chunk_size: 50 },
    },
  };
}

function targetsOf(text: string): unknown[] {
  const block = findYamlBlock(text);
  if ('problem' in block) throw new Error(block.problem);
  // The samples are known to have this shape.
  return (loadYaml(block.body) as { targets: unknown[] }).targets;
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'accepted';
  } catch (error) {
    return error instanceof RbError ? (error.problems[0]?.code ?? '') : String(error);
  }
}

describe('editing TARGETS.md', () => {
  const ours = [cellTarget('libero--rb-01234567'), cellTarget('libero--rb-89abcdef')];
  const ids = ['libero--rb-01234567', 'libero--rb-89abcdef'];

  it.each(['\n', '\r\n'])(
    'adds behind the last target and removes without a trace (line end %j)',
    (lineEnd) => {
      const text = TARGETS.replaceAll('\n', lineEnd);
      const added = addTargets(text, ours);
      expect(targetsOf(added)).toEqual([...targetsOf(text), ...ours]);
      expect(removeTargets(added, ids)).toBe(text);
      expect(removeTargets(removeTargets(added, ids.slice(0, 1)), ids.slice(1))).toBe(text);
      const kept = text.slice(0, text.indexOf('  # keep this'));
      expect(added.startsWith(kept)).toBe(true);
      expect(added.endsWith(text.slice(kept.length))).toBe(true);
    },
  );

  it('writes into the indentation of the list', () => {
    const added = addTargets(TARGETS, ours);
    expect(added).toContain('\n  - id: libero--rb-01234567\n    target_class: remote\n');
  });

  it('turns an empty list into one with entries and back', () => {
    const text = '```yaml\ntargets: []\n```\n';
    const added = addTargets(text, ours);
    expect(targetsOf(added)).toEqual(ours);
    expect(removeTargets(added, ids)).toBe(text);
  });

  it('ignores ids that are not there', () => {
    expect(removeTargets(TARGETS, ['x'])).toBe(TARGETS);
    expect(addTargets(TARGETS, [])).toBe(TARGETS);
  });

  it.each([
    ['flow style', '```yaml\ntargets: [{id: a}]\n```\n', 'RB212'],
    [
      'an entry in brackets over lines',
      '```yaml\ntargets:\n- id: a\n  config: {note: "x\n    - y"}\n```\n',
      'RB212',
    ],
    ['a JSON body', '```yaml\n{"targets": [{"id": "a"}]}\n```\n', 'RB212'],
    ['two lists', '```yaml\ntargets:\n- id: a\ntargets:\n- id: b\n```\n', 'RB212'],
    ['a quoted second list', '```yaml\ntargets:\n- id: a\n"targets":\n- id: b\n```\n', 'RB212'],
    ['no list', '```yaml\ntargets: null\n```\n', 'RB212'],
    ['a list behind an anchor', '```yaml\ntargets: &t\n- id: a\n```\n', 'RB212'],
    ['no block', 'targets: []\n', 'RB202'],
    ['broken YAML', '```yaml\ntargets: [\n```\n', 'RB203'],
    ['an id that is there', '```yaml\ntargets:\n- id: libero--rb-01234567\n```\n', 'RB209'],
  ])('refuses %s', (_name, text, code) => {
    expect(codeOf(() => addTargets(text, ours))).toBe(code);
  });

  it('gives back the identical bytes for arbitrary foreign targets', () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .map((each) => each.replace(/[\ud800-\udfff]/gu, ''));
    const target = fc.record({
      id: fc.constantFrom('a', 'b c', 'd', '12', 'off'),
      workspace: text,
      config: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text)), {
        maxKeys: 4,
      }),
    });
    const targets = fc.uniqueArray(target, { minLength: 1, maxLength: 4, selector: (each) => each.id });
    fc.assert(
      fc.property(
        targets,
        fc.constantFrom(0, 2),
        fc.constantFrom('\n', '\r\n'),
        (foreign, indent, lineEnd) => {
          const list = dumpYaml(foreign).replace(/^(?=.)/gm, ' '.repeat(indent));
          const document = `Text\n\`\`\`yaml\ntargets:\n${list}# end\n\`\`\`\n`.replaceAll('\n', lineEnd);
          const added = addTargets(document, ours);
          expect(targetsOf(added)).toEqual([...targetsOf(document), ...ours]);
          expect(removeTargets(added, ids)).toBe(document);
        },
      ),
      { numRuns: 200 },
    );
  });
});
