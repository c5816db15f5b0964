import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { PRESET_NAMES } from '../../../src/inputs/table/preset-names.ts';
import { type Answers, type Door, questionsOf } from '../../../src/setup/answers.ts';
import { CONFIG_FILE, filesOf, PLACEHOLDER } from '../../../src/setup/files.ts';
import type { Gate } from '../../../src/setup/gate.ts';
import { stepProblems, workflowSchema } from '../docs/workflow.ts';
import { ROOT } from '../meta/source-files.ts';

/** What is offered, beside these answers. */
function answersOf(door: Door, given: Answers = {}): Answers {
  let answers = given;
  for (let open = questionsOf(door, answers); open.length > 0; open = questionsOf(door, answers))
    for (const { asked, offered } of open) answers = { ...answers, [asked]: offered };
  return answers;
}
const gate = (door: Door, given: Answers = {}, more: Partial<Gate> = {}): Gate => ({
  ...{ door, answers: answersOf(door, given), action: PLACEHOLDER, release: true },
  ...more,
});
const contentOf = (made: Gate, name: string): string =>
  filesOf(made).find((file) => file.name.includes(name))?.content ?? '';
const GATES: readonly (readonly [string, Gate])[] = [
  ['results of lerobot', gate('results')],
  ['results of vla-eval', gate('results', { tool: 'vla-eval' })],
  ['results of openpi', gate('results', { tool: 'openpi' })],
  ['results of another tool', gate('results', { tool: 'other', command: 'make "evaluate" # all' })],
  ['a simulator', gate('simulator', { workspace: '/home/a b/bench', suite: 'metaworld_mt10' })],
  ['a host', gate('host')],
];

describe.each(GATES)('the files for %s', (_what, made) => {
  const config = readConfigFile(contentOf(made, CONFIG_FILE), CONFIG_FILE);

  it('are a config file that the inputs take, alone and with every preset', () => {
    expect(config.problems).toEqual([]);
    for (const preset of ['', ...PRESET_NAMES])
      expect(() => readInputs(preset === '' ? {} : { preset }, config, { required: [] })).not.toThrow();
  });

  it('are workflows that a runner takes, each with the checkout that has the config file', () => {
    const workflows = filesOf(made).filter(({ name }) => name !== CONFIG_FILE);
    expect(workflows.length).toBeGreaterThan(0);
    for (const { content } of workflows) {
      const workflow = workflowSchema.parse(parse(content));
      const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
      expect(steps.flatMap(stepProblems)).toEqual([]);
      expect(content).toContain('actions/checkout@');
      // What the config file says is said there alone.
      expect(content).not.toMatch(/^ +(?:suite|min-success-rate|max-regression|init-states):/m);
    }
  });

  it('name the action that was given, everywhere', () => {
    const text = filesOf({ ...made, action: 'acme/bench@v1' })
      .map(({ content }) => content)
      .join('\n');
    expect(text).not.toContain(PLACEHOLDER);
    expect(text).toContain('uses: acme/bench@v1');
  });
});

describe('the files of a gate', () => {
  it('are the examples, as far as they need no answer', () => {
    const host = gate('host');
    for (const [name, example] of [
      ['nightly', 'nightly-pages.yml'],
      ['release', 'release-gate.yml'],
    ] as const)
      expect(contentOf(host, name)).toBe(readFileSync(join(ROOT, 'docs/examples', example), 'utf8'));
    expect(filesOf({ ...host, release: false }).map(({ name }) => name)).not.toContain(
      '.github/workflows/rollout-bench-release.yml',
    );
  });

  it('start both policies by the command that was given, whatever it holds, and prepare nothing of openpi', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.constantFrom('simulator', 'host'),
        (command, door) => {
          const content = contentOf(
            gate(door, { 'policy-command': command, workspace: '/w', suite: 's' }),
            'pull-request',
          );
          const { steps } = Object(Object.values(parse(content).jobs)[0]);
          const given = steps.at(-1).with;
          expect([given['policy-command'], given['baseline-command']]).toEqual([command, command]);
          expect(content).not.toMatch(/uv sync|JAX|CHECKPOINT/);
        },
      ),
    );
  });

  it('hold a path and a suite of any characters as text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { workspace } = parse(contentOf(gate('host', { workspace: text }), CONFIG_FILE));
        expect(workspace).toBe(text);
      }),
    );
  });
});
