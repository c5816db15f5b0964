import {
  binaryTag,
  DUMP_SCHEMA,
  defineScalarTag,
  defineSequenceTag,
  dump,
  FAILSAFE_SCHEMA,
  loadAll,
  type MappingTagDefinition,
  mapTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  omapTag,
  pairsTag,
  realMapTag,
  type ScalarTagDefinition,
  type Schema,
  setTag,
  YAMLException,
} from 'js-yaml';
import {
  FLOAT_PATTERN,
  floatText,
  INT_PATTERN,
  isPyTimestamp,
  PyFloat,
  PyTimestamp,
  pyFloatValue,
  pyInteger,
  TIMESTAMP_PATTERN,
} from './yaml-scalars.ts';

export { PyFloat, PyTimestamp } from './yaml-scalars.ts';

/** The text is not YAML that the runtime's reader accepts. `line` and `column` start at 1; null when unknown. */
export class YamlError extends Error {
  readonly line: number | null;
  readonly column: number | null;

  constructor(message: string, line: number | null, column: number | null, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'YamlError';
    this.line = line;
    this.column = column;
  }
}

const DIGITS = [...'0123456789'];
const TRUE_WORDS = ['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE_WORDS = ['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];

/** A bare `=` or `<<`: fine as a key, an error anywhere else. */
class BareIndicator {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const EQUALS = new BareIndicator('=');
const MERGE = new BareIndicator('<<');

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...'yYnNtTfFoO'],
  resolve: (source) =>
    TRUE_WORDS.includes(source) ? true : FALSE_WORDS.includes(source) ? false : NOT_RESOLVED,
  identify: (value: unknown) => typeof value === 'boolean',
  represent: (value: unknown) => (value === true ? 'true' : 'false'),
});

const intTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: ['-', '+', ...DIGITS],
  resolve: (source) => {
    if (/^-?[1-9][0-9]{0,14}$/.test(source)) return Number(source);
    if (!INT_PATTERN.test(source)) return NOT_RESOLVED;
    const value = pyInteger(source);
    if (value === null) throw new RangeError(`the number ${source.slice(0, 40)} cannot be read`);
    return value;
  },
  identify: isIntegerValue,
  represent: (value: unknown) => String(value),
});

function isIntegerValue(value: unknown): boolean {
  return typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0));
}

function floatTag(keepFloats: boolean): ScalarTagDefinition<number | PyFloat> {
  return defineScalarTag<number | PyFloat>('tag:yaml.org,2002:float', {
    implicit: true,
    implicitFirstChars: ['-', '+', '.', ...DIGITS],
    resolve: (source, isExplicit) => {
      if (!FLOAT_PATTERN.test(source)) {
        // `!!float 3` is converted by the peer although a bare 3 is an integer.
        if (!isExplicit || !INT_PATTERN.test(source)) return NOT_RESOLVED;
      }
      const value = pyFloatValue(source);
      return keepFloats && Number.isInteger(value) ? new PyFloat(value) : value;
    },
    identify: (value: unknown) =>
      value instanceof PyFloat || (typeof value === 'number' && !isIntegerValue(value)),
    represent: (value: unknown) => floatText(value instanceof PyFloat ? value.value : Number(value)),
  });
}

const timestampTag = defineScalarTag<PyTimestamp>('tag:yaml.org,2002:timestamp', {
  implicit: true,
  implicitFirstChars: DIGITS,
  resolve: (source) => (isPyTimestamp(source) ? new PyTimestamp(source) : NOT_RESOLVED),
  identify: (value: unknown) => value instanceof PyTimestamp,
  represent: (value: unknown) => (value instanceof PyTimestamp ? value.text : String(value)),
});

const mergeTag = defineScalarTag<BareIndicator>('tag:yaml.org,2002:merge', {
  implicit: true,
  implicitFirstChars: ['<'],
  resolve: (source, isExplicit) => (source === '<<' || (isExplicit && source === '') ? MERGE : NOT_RESOLVED),
  identify: () => false,
});

const valueTag = defineScalarTag<BareIndicator>('tag:yaml.org,2002:value', {
  implicit: true,
  implicitFirstChars: ['='],
  resolve: (source) => (source === '=' ? EQUALS : NOT_RESOLVED),
  identify: () => false,
});

const seqTag = defineSequenceTag<unknown[]>('tag:yaml.org,2002:seq', {
  create: () => [],
  addItem: (list, item) => {
    if (item instanceof BareIndicator) return `an unquoted ${item.text} is not a value`;
    list.push(item);
    return '';
  },
  identify: Array.isArray,
});

const NON_TEXT_KEYS = new WeakSet<object>();

/** Whether a mapping that {@link loadYaml} read had a key that is no text (a number, null, a date), now turned into text. */
export function hasNonTextKey(value: object): boolean {
  return NON_TEXT_KEYS.has(value);
}

/** The mapping tag of the reader: refuses bare indicators as values, takes them as keys. */
function mappingTag<Carrier>(
  base: MappingTagDefinition<Carrier, Carrier>,
): MappingTagDefinition<Carrier, Carrier> {
  return {
    ...base,
    addPair: (carrier, key, value) => {
      if (value instanceof BareIndicator) return `an unquoted ${value.text} is not a value`;
      if (key instanceof BareIndicator) return base.addPair(carrier, key.text, value);
      if (typeof key !== 'string' && typeof carrier === 'object' && carrier !== null)
        NON_TEXT_KEYS.add(carrier);
      // A plain object only has text keys; a Map keeps the kind.
      const name = key instanceof PyTimestamp && !(carrier instanceof Map) ? key.text : key;
      return base.addPair(carrier, name, value);
    },
  };
}

function readSchema(keepTypes: boolean): Schema {
  const scalars = [
    nullYaml11Tag,
    boolTag,
    intTag,
    floatTag(keepTypes),
    timestampTag,
    mergeTag,
    valueTag,
    binaryTag,
  ];
  const map = keepTypes ? mappingTag(realMapTag) : mappingTag(mapTag);
  return FAILSAFE_SCHEMA.withTags(scalars, omapTag, pairsTag, setTag, seqTag, map);
}

const READ_SCHEMA = readSchema(false);
const READ_SCHEMA_KEEPING_TYPES = readSchema(true);

/** A tag for writing: text counts as "would be read as this" when our pattern or the library's own resolver says so. */
function guarded<T>(
  tag: ScalarTagDefinition<T>,
  matches: (text: string) => boolean,
  known: ScalarTagDefinition,
): ScalarTagDefinition<unknown> {
  return {
    ...tag,
    implicitFirstChars: null,
    // The patterns alone, without conversion: the peer tries to convert `-0x_` and fails on the whole document.
    resolve: (source, isExplicit, name) => (matches(source) ? null : known.resolve(source, isExplicit, name)),
  };
}

function libraryTag(name: string): ScalarTagDefinition {
  const tag = DUMP_SCHEMA.tags.find(
    (each) => each.nodeKind === 'scalar' && each.tagName === `tag:yaml.org,2002:${name}`,
  );
  if (tag?.nodeKind !== 'scalar') throw new Error(`the YAML library has no tag ${name}`);
  return tag;
}

const writeMapTag: typeof mapTag = {
  ...mapTag,
  identify: (value: unknown) => value instanceof Map || mapTag.identify(value),
  represent: (value: unknown) => (value instanceof Map ? value : mapTag.represent(value)),
};

const WRITE_SCHEMA = DUMP_SCHEMA.withTags(
  guarded(intTag, (text) => INT_PATTERN.test(text), libraryTag('int')),
  guarded(floatTag(false), (text) => FLOAT_PATTERN.test(text), libraryTag('float')),
  guarded(boolTag, (text) => /^[yn]$/i.test(text), libraryTag('bool')),
  guarded(timestampTag, (text) => TIMESTAMP_PATTERN.test(text), libraryTag('timestamp')),
  valueTag,
  writeMapTag,
);

// What the peer's reader refuses anywhere in a document, even inside quotes.
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
// The peer reads an escaped half of a surrogate pair, and then cannot write its own file any more.
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const EXTRA_LINE_BREAKS = /[\x85\u2028\u2029]/;

export interface LoadOptions {
  /** Mappings become Maps with keys of their own type, `300.0` becomes a PyFloat: for writing back what was read. */
  readonly keepTypes?: boolean;
}

/**
 * Reads one YAML document as the runtime's reader (PyYAML `safe_load`) does: duplicate keys keep the last value, merge
 * keys apply, `off` is false, `12:30` is 750, time stamps become {@link PyTimestamp}, integers beyond 2^53 are bigint.
 * An empty document is null. Throws {@link YamlError} when the runtime would refuse the text too.
 */
export function loadYaml(text: string, options: LoadOptions = {}): unknown {
  const bad = UNPRINTABLE.exec(text);
  if (bad !== null) {
    const code = (bad[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new YamlError(`the character U+${code} is not allowed`, lineOf(text, bad.index), null);
  }
  if (EXTRA_LINE_BREAKS.test(text)) return loadWithExtraBreaks(text, options);
  return loadPlain(text, options);
}

function loadPlain(text: string, options: LoadOptions): unknown {
  try {
    const schema = options.keepTypes === true ? READ_SCHEMA_KEEPING_TYPES : READ_SCHEMA;
    const documents = loadAll(text, { schema, json: true, maxTotalMergeKeys: 1_000_000 });
    if (documents.length > 1)
      throw new YamlError('there are several documents where one is expected', null, null);
    const value = documents[0] ?? null;
    if (value instanceof BareIndicator)
      throw new YamlError(`an unquoted ${value.text} is not a value`, 1, null);
    return value;
  } catch (error) {
    throw asYamlError(error);
  }
}

function asYamlError(error: unknown): unknown {
  if (error instanceof YamlError) return error;
  if (error instanceof YAMLException) {
    const mark = error.mark;
    return new YamlError(error.reason, mark ? mark.line + 1 : null, mark ? mark.column + 1 : null, {
      cause: error,
    });
  }
  // Scalar conversions report impossible dates and numbers this way.
  if (error instanceof RangeError) return new YamlError(error.message, null, null, { cause: error });
  return error;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/**
 * YAML 1.1 also ends lines at U+0085, U+2028 and U+2029, which the peer writes bare inside quoted text. U+0085 counts as a
 * line feed; the other two survive folding, so they travel through the reader as placeholders.
 */
function loadWithExtraBreaks(text: string, options: LoadOptions): unknown {
  const free = unusedCharacters(text, 3);
  const [ls, ps, lf] = free;
  if (ls === undefined || ps === undefined || lf === undefined)
    throw new YamlError('too many unusual characters', null, null);
  const marked = text
    .replaceAll('\x85', '\n')
    .replace(/[ \t\r\n\u2028\u2029]*[\u2028\u2029][ \t\r\n\u2028\u2029]*/g, (run) => {
      const breaks = run.replace(/\r\n?/g, '\n').replace(/[ \t]/g, '');
      // Folding: a leading line feed followed by more breaks is dropped, everything else stays.
      const kept = breaks.startsWith('\n') ? breaks.slice(1) : breaks;
      return kept.replaceAll('\u2028', ls).replaceAll('\u2029', ps).replaceAll('\n', lf);
    });
  const restore = (part: string): string =>
    part.replaceAll(ls, '\u2028').replaceAll(ps, '\u2029').replaceAll(lf, '\n');
  return mapText(loadPlain(marked, options), restore);
}

function unusedCharacters(text: string, count: number): string[] {
  const found: string[] = [];
  for (let code = 0xe000; code < 0xf8ff && found.length < count; code += 1) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) found.push(character);
  }
  return found;
}

/** Applies `change` to every text in a value, keys included. */
function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapText(item, change));
  if (value instanceof Map)
    return new Map([...value].map(([key, item]) => [mapText(key, change), mapText(item, change)]));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(pairs.map(([key, item]) => [change(key), mapText(item, change)]));
}

/**
 * Writes a value so that the runtime reads back exactly it: text that would be taken for something else is quoted, numbers
 * keep their kind ({@link PyFloat} for a float without fraction), lines are not folded. `undefined` properties are left
 * out. Ends with a line feed. Throws TypeError for values YAML cannot carry (functions, symbols).
 */
export function dumpYaml(value: unknown): string {
  const clean = mapText(value, (text) => text.replace(LONE_SURROGATE, '\ufffd'));
  if (isObject(clean) && Object.keys(clean).some((key) => /^(?:---|\.\.\.)/.test(key))) {
    throw new TypeError('a top-level key must not start with --- or ...');
  }
  try {
    return dump(clean, { schema: WRITE_SCHEMA, lineWidth: -1, noRefs: true, seqNoIndent: true });
  } catch (error) {
    if (error instanceof YAMLException) throw new TypeError(error.reason, { cause: error });
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
