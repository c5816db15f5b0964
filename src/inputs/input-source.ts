import type { ConfigFile, ConfigValue } from './config-file.ts';
import { type InputName, inputRow, type Origin } from './input-table.ts';
import { isPresetName, partsFor, presetText } from './presets.ts';
import type { PresetName } from './table/preset-names.ts';

/** Everything that can say what an input is, the first that does counts: given, config file, preset, default. */
interface Layers {
  readonly raw: Readonly<Record<string, string>>;
  readonly config: ConfigFile;
  readonly preset: PresetName | null;
}

/** The text of an input with its place; null where nothing says anything and there is no default. */
export interface Source {
  readonly origin: Origin;
  readonly text: string | null;
  readonly where: string;
}

/** The layers, with the preset that the inputs or the file choose; one that is wrong is reported as a value is. */
export function layersOf(raw: Layers['raw'], config: ConfigFile): Layers {
  const { text } = sourceOf('preset', { raw, config, preset: null });
  const name = (text ?? '').trim();
  return { raw, config, preset: isPresetName(name) ? name : null };
}

export function sourceOf(name: InputName, { raw, config, preset }: Layers): Source {
  const direct = raw[name];
  if (said(direct)) return { origin: 'input', text: direct, where: `input ${name}` };
  const filed = filedValue(name, config, preset);
  if (filed !== null) return filedSource(name, filed);
  const byPreset = preset === null ? null : presetText(preset, name);
  if (preset !== null && byPreset !== null)
    return { origin: 'preset', text: byPreset, where: `preset ${preset} ${name}` };
  return { origin: 'default', text: inputRow(name).default, where: `input ${name}` };
}

/** Values of the config file that this run does not take, because they are for other presets. They must be right, too. */
export function otherParts({ config, preset }: Layers): readonly (readonly [InputName, Source])[] {
  return [...config.presets].flatMap(([part, values]) =>
    part === preset ? [] : [...values].map(([name, value]) => [name, filedSource(name, value)] as const),
  );
}

function filedValue(name: InputName, config: ConfigFile, preset: PresetName | null): ConfigValue | null {
  const parts = preset === null ? [] : partsFor(preset, name);
  const places = [...parts.map((part) => config.presets.get(part)), config.values];
  return places.map((values) => values?.get(name)).find((value) => said(value?.text)) ?? null;
}

function filedSource(name: InputName, { text, where }: ConfigValue): Source {
  return { origin: 'config', text, where: `${where} ${name}` };
}

/** The empty text counts as not given, because an action cannot tell the two apart. */
function said(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
