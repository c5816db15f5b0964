import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { inputRow } from '../../../src/inputs/input-table.ts';
import { presetRows } from '../../../src/inputs/preset-text.ts';
import { isPresetName, PRESETS } from '../../../src/inputs/presets.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { Wrong } from '../../../src/inputs/table/kinds.ts';

const read = (preset: string, config = '', raw: Record<string, string> = {}) =>
  readInputs({ workspace: '/w', preset, ...raw }, readConfigFile(config, 'c.yml'));

const cellsOf = ({ suites, tasks, initStates, repeats, seed, tasksFile }: ReturnType<typeof read>) => ({
  suites,
  tasks,
  initStates,
  repeats,
  seed,
  tasksFile,
});

function problemsOf(preset: string, config: string) {
  try {
    read(preset, config);
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems.map(({ code, where }) => `${code} ${where}`);
    throw error;
  }
}

describe('a preset', () => {
  it('sets values that are right, and only what nobody has said', () => {
    for (const [name, { values }] of Object.entries(PRESETS)) {
      expect(isPresetName(name)).toBe(true);
      for (const [input, text] of Object.entries(values))
        expect(inputRow(input as 'tasks').kind.parse(text), `${name} ${input}`).not.toBeInstanceOf(Wrong);
    }
    const inputs = read('release', 'min-success-rate: 90%\n', { 'max-regression': '3%' });
    expect(inputs).toMatchObject({
      purpose: 'release',
      minSuccessRate: 0.9,
      maxRegression: 0.03,
      thresholdMode: 'lower-bound',
      keepRuns: 100,
    });
    expect(inputs.origins).toMatchObject({
      preset: 'input',
      'min-success-rate': 'config',
      'max-regression': 'input',
      'threshold-mode': 'preset',
      'retry-errors': 'default',
    });
    expect(inputs.initStates).toHaveLength(50);
  });

  it('may stand in the config file, with values for each purpose beside those for all', () => {
    const config = `preset: nightly
min-success-rate: 60%
presets:
  release: {min-success-rate: 95%, init-states: 0-19}
  smoke:
`;
    const inputs = readInputs({ workspace: '/w' }, readConfigFile(config, 'c.yml'));
    expect(inputs).toMatchObject({ preset: 'nightly', purpose: 'schedule', minSuccessRate: 0.6 });
    const release = read('release', config);
    expect(release).toMatchObject({ minSuccessRate: 0.95, purpose: 'release' });
    expect(release.initStates).toHaveLength(20);
    expect(read('smoke', config)).toMatchObject({ minSuccessRate: 0.6, initStates: [0] });
    expect(read('smoke', config, { 'min-success-rate': '1%' }).minSuccessRate).toBe(0.01);
  });

  it('gives a pull request the cells of a night, whatever the file says of the night', () => {
    const entry = fc.constantFrom(
      'init-states: 3-7',
      'tasks: 1,4',
      'repeats: 2',
      'seed: 9',
      'suite: libero_goal',
      'tasks-file: t.yml',
      'min-success-rate: 70%',
      'keep-runs: 3',
    );
    const entries = fc.uniqueArray(entry, { selector: (line) => line.split(':')[0] });
    fc.assert(
      fc.property(entries, entries, (general, nights) => {
        const night =
          nights.length === 0 ? '' : `presets:\n  nightly: {${nights.join(', ').replace('1,4', '1-4')}}\n`;
        const config = `${general.join('\n')}\n${night}`;
        expect(cellsOf(read('pr', config))).toEqual(cellsOf(read('nightly', config)));
      }),
    );
    const other =
      'presets:\n  nightly: {init-states: 0-19, min-success-rate: 70%}\n  pr: {init-states: 0-4}\n';
    expect(read('pr', other)).toMatchObject({ initStates: [0, 1, 2, 3, 4], minSuccessRate: 0.5 });
  });

  it('is held to right values even in the parts of other presets', () => {
    const config = `presets:
  release: {min-success-rate: 95, tasks: [0, 1]}
  nigthly: {}
  smoke: {preset: pr, tasks: {}, github-token: x}
  pr: 5
`;
    expect(problemsOf('nightly', config)).toEqual([
      'RB105 c.yml:3:3',
      'RB106 c.yml:4:11',
      'RB106 c.yml:4:23',
      'RB106 c.yml:4:34',
      'RB106 c.yml:5:3',
      'RB102 c.yml:2:13 min-success-rate',
    ]);
    expect(problemsOf('nightly', 'presets: [pr]\n')).toEqual(['RB106 c.yml:1:1']);
    expect(problemsOf('nightly', 'preset: weekly\n')).toEqual([]);
    expect(problemsOf('weekly', 'presets: {}\n')).toEqual(['RB102 input preset']);
  });

  it('says what it sets and what was given instead', () => {
    expect(presetRows(read('nightly', 'init-states: 0-4\n'))).toEqual([
      ['preset', expect.stringContaining('nightly: ten initial states')],
      ['it sets', 'purpose schedule, tasks all, repeats 1, keep-runs 30, max-regression 10%'],
      ['given instead', 'init-states (config)'],
    ]);
    expect(presetRows(read('pr'))[1]?.[1]).toContain('init-states 0-9');
    expect(presetRows(readInputs({ workspace: '/w' }))).toEqual([]);
  });
});
