import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { MAX_USER_YAML_DEPTH, tooDeepLine } from '../base/yaml-depth.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { INPUT_NAMES, type InputName, inputRow, isInputName } from './input-table.ts';
import { nearest } from './nearest.ts';
import { oldNameProblem } from './old-names.ts';
import { isPresetName } from './presets.ts';
import { PRESET_NAMES, type PresetName } from './table/preset-names.ts';

/** A value of the config file as the text that the same input would have, and its place. */
export interface ConfigValue {
  readonly text: string;
  /** `<file>:<line>:<column>` */
  readonly where: string;
}

type ConfigValues = ReadonlyMap<InputName, ConfigValue>;

export interface ConfigFile {
  readonly values: ConfigValues;
  /** What the file says for one preset only, by its name. */
  readonly presets: ReadonlyMap<PresetName, ConfigValues>;
  readonly problems: readonly Problem[];
}

/** The key whose value is a map from presets to maps of inputs. */
const PRESETS_KEY = 'presets';

const MAX_CONFIG_BYTES = 256 * 1024;

/**
 * Reads the optional YAML file of inputs. Scalars keep the text they are written in (`0.90`, `yes`), so that a value
 * means the same in the file and in an input; lists become text with one item a line.
 * @param name how messages call the file.
 */
export function readConfigFile(text: string, name: string): ConfigFile {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    return nothingBut([unusable(name, `is larger than ${MAX_CONFIG_BYTES / 1024} kB.`)]);
  const deep = tooDeepLine(text);
  if (deep !== null) {
    const message = `nests more than ${MAX_USER_YAML_DEPTH} levels deep.`;
    return nothingBut([unusable(`${name}:${deep}`, message)]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
  });
  const place = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    const problems = document.errors
      .slice(0, 5)
      .map((error) => unusable(place(error.pos[0]), sentence(error.message)));
    return nothingBut(problems);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return nothingBut([]);
  if (!isMap(contents)) return nothingBut([unusable(name, 'is not a map of inputs.')]);
  const problems: Problem[] = [];
  const presets = new Map<PresetName, ConfigValues>();
  const values = readMap(contents, place, problems, (key, node, where) => {
    if (key !== PRESETS_KEY) return false;
    if (isMap(node)) readPresets(node, { place, problems, presets });
    else if (!isNothing(node)) problems.push(noPresets(where));
    return true;
  });
  return { values, presets, problems };
}

type Place = (offset: number | undefined) => string;

function nothingBut(problems: readonly Problem[]): ConfigFile {
  return { values: new Map(), presets: new Map(), problems };
}

/** The inputs of one map; what is wrong goes to `problems`. `takes` may take a key for itself. */
function readMap(
  map: YAMLMap,
  place: Place,
  problems: Problem[],
  takes: (key: string, node: unknown, where: string) => boolean,
): ConfigValues {
  const values = new Map<InputName, ConfigValue>();
  for (const { key, value } of map.items) {
    const keyText = isScalar(key) ? String(key.value) : '';
    const where = place(isScalar(key) ? key.range?.[0] : 0);
    if (takes(keyText, value, where)) continue;
    const read = readEntry(keyText, value, where);
    if (read instanceof Map) for (const [input, entry] of read) values.set(input, entry);
    else problems.push(read);
  }
  return values;
}

interface PresetsRead {
  readonly place: Place;
  readonly problems: Problem[];
  readonly presets: Map<PresetName, ConfigValues>;
}

function readPresets(map: YAMLMap, { place, problems, presets }: PresetsRead): void {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const where = place(isScalar(key) ? key.range?.[0] : 0);
    if (!isPresetName(name)) problems.push(unknownPreset(name, where));
    else if (isMap(value)) {
      const own = readMap(value, place, problems, (inner, _node, at) => {
        if (inner !== 'preset' && inner !== PRESETS_KEY) return false;
        problems.push(presetInPreset(at));
        return true;
      });
      presets.set(name, own);
    } else if (!isNothing(value)) problems.push(noPresets(where));
  }
}

function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function noPresets(where: string): Problem {
  return problemOf('RB106', {
    where,
    message: 'presets are a map from the name of a preset to a map of inputs.',
    fix: 'Write for example `presets: {release: {min-success-rate: 90%}}`.',
  });
}

function unknownPreset(name: string, where: string): Problem {
  const near = nearest(name, PRESET_NAMES);
  return problemOf('RB105', {
    where,
    message: `${JSON.stringify(name)} is not a preset.`,
    fix: near === null ? `The presets are ${PRESET_NAMES.join(', ')}.` : `Did you mean ${near}?`,
  });
}

function presetInPreset(where: string): Problem {
  return problemOf('RB106', {
    where,
    message: 'the part of a preset holds inputs, and cannot choose another preset.',
    fix: 'Remove the key.',
  });
}

function readEntry(key: string, node: unknown, where: string): Map<InputName, ConfigValue> | Problem {
  const old = oldNameProblem(key, isScalar(node) && node.value !== null ? scalarText(node) : '', {
    where: `${where} ${key}`,
    form: 'line',
  });
  if (old !== null) return old;
  if (!isInputName(key) || key === 'config') return unknownKey(key, where);
  if (key === 'github-token') return tokenInFile(where);
  if (isScalar(node)) {
    return new Map(node.value === null ? [] : [[key, { text: scalarText(node), where }]]);
  }
  if (node === null) return new Map();
  const row = inputRow(key);
  if (isSeq(node) && row.kind.list && node.items.every((item) => isScalar(item) && item.value !== null)) {
    const text = node.items.map((item) => (isScalar(item) ? scalarText(item) : '')).join('\n');
    return new Map([[key, { text, where }]]);
  }
  if (isMap(node) && row.kind.map === true) {
    const text = partsText(node);
    if (text !== null) return new Map([[key, { text, where }]]);
  }
  return problemOf('RB106', {
    where,
    message: `the value of ${key} is ${isAlias(node) ? 'an alias' : isSeq(node) ? 'a list that does not fit' : 'a map'}.`,
    fix: `Write for example \`${key}: ${row.example}\`.`,
  });
}

/** A map of scalars as the text that the same parts would have; null for any other. */
function partsText({ items }: YAMLMap): string | null {
  const parts = items.map(({ key, value }) =>
    isScalar(key) && isScalar(value) && value.value !== null
      ? `${String(key.value)}=${scalarText(value)}`
      : null,
  );
  return parts.includes(null) ? null : parts.join('\n');
}

function scalarText(node: Scalar): string {
  return node.type === Scalar.PLAIN && node.source !== undefined ? node.source : String(node.value);
}

function unknownKey(key: string, where: string): Problem {
  const near = nearest(key, [...INPUT_NAMES, PRESETS_KEY]);
  return problemOf('RB105', {
    where,
    message:
      key === 'config' ? 'a config file cannot name another one.' : `${JSON.stringify(key)} is not an input.`,
    fix: near === null || key === 'config' ? 'Remove the key.' : `Did you mean ${near}?`,
  });
}

/** The value is not repeated. */
function tokenInFile(where: string): Problem {
  return problemOf('RB106', {
    where,
    message: 'a token does not belong into a file that is kept.',
    fix: 'Remove the key and revoke the token; give it as the input github-token or as GITHUB_TOKEN.',
  });
}

function unusable(where: string, message: string): Problem {
  return problemOf('RB104', {
    where,
    message,
    fix: 'Correct the file; it is a YAML map from input names to values.',
  });
}

function sentence(message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return first.endsWith('.') ? first : `${first}.`;
}
