import type { InputName } from './input-table.ts';
import { PRESET_NAMES, type PresetName } from './table/preset-names.ts';

interface Preset {
  readonly summary: string;
  /** Texts as they would stand in the config file. */
  readonly values: Readonly<Partial<Record<InputName, string>>>;
}

/**
 * What every preset sets where neither the step nor the config file does. The cells of `pr` are not among them: they
 * are those of `nightly`, so that a pull request finds each of its cells in the baseline (see `CELL_INPUTS`).
 */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  smoke: {
    summary:
      'one episode of each task, whether anything works at all; compared with nothing and kept nowhere',
    values: {
      'init-states': '0',
      repeats: '1',
      'min-success-rate': '10%',
      baseline: 'none',
      anchor: 'none',
      'report-branch': 'none',
    },
  },
  pr: {
    summary: 'the cells of a night, held against the last one that was accepted',
    values: {
      purpose: 'pr',
      'min-success-rate': '50%',
      'max-regression': '10%',
      'keep-runs': '20',
    },
  },
  nightly: {
    summary: 'ten initial states of each task; becomes the baseline of the pull requests',
    values: {
      purpose: 'schedule',
      tasks: 'all',
      'init-states': '0-9',
      repeats: '1',
      'max-regression': '10%',
      'keep-runs': '30',
    },
  },
  release: {
    summary: 'fifty initial states of each task; the evidence must reach the floor, and INCONCLUSIVE fails',
    values: {
      purpose: 'release',
      tasks: 'all',
      'init-states': '0-49',
      repeats: '1',
      'min-success-rate': '80%',
      'threshold-mode': 'lower-bound',
      'max-regression': '5%',
      'keep-runs': '100',
    },
  },
};

/** What decides which cells are measured, and in which order. */
const CELL_INPUTS: ReadonlySet<InputName> = new Set([
  'suite',
  'tasks',
  'init-states',
  'repeats',
  'seed',
  'tasks-file',
]);

/** A preset that measures what another one measures, unless its own part of the config file says otherwise. */
const SAME_CELLS: Readonly<Partial<Record<PresetName, PresetName>>> = { pr: 'nightly' };

export function isPresetName(name: string): name is PresetName {
  return PRESET_NAMES.some((known) => known === name);
}

/** The presets whose part of the config file can hold an input of this preset, the nearest first. */
export function partsFor(preset: PresetName, name: InputName): readonly PresetName[] {
  const other = CELL_INPUTS.has(name) ? SAME_CELLS[preset] : undefined;
  return other === undefined ? [preset] : [preset, other];
}

/** What a preset sets an input to; null where it says nothing. */
export function presetText(preset: PresetName, name: InputName): string | null {
  for (const part of partsFor(preset, name)) {
    const text = PRESETS[part].values[name];
    if (text !== undefined) return text;
  }
  return null;
}
