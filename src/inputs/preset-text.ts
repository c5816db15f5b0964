import { isInputName } from './input-table.ts';
import { PRESETS, presetText } from './presets.ts';
import type { Inputs } from './read-inputs.ts';

/** What the preset of a run sets here and what was given otherwise, as rows for a table; none without a preset. Pure. */
export function presetRows({ preset, origins }: Pick<Inputs, 'preset' | 'origins'>): [string, string][] {
  if (preset === null) return [];
  const told = Object.keys(origins)
    .filter(isInputName)
    .flatMap((name) => {
      const text = presetText(preset, name);
      return text === null ? [] : [{ name, text, origin: origins[name] }];
    });
  const sets = told.flatMap(({ name, text, origin }) => (origin === 'preset' ? [`${name} ${text}`] : []));
  const others = told.flatMap(({ name, origin }) => (origin === 'preset' ? [] : [`${name} (${origin})`]));
  const rows: [string, string][] = [
    ['preset', `${preset}: ${PRESETS[preset].summary}`],
    ['it sets', sets.length === 0 ? 'nothing' : sets.join(', ')],
  ];
  return others.length === 0 ? rows : [...rows, ['given instead', others.join(', ')]];
}
