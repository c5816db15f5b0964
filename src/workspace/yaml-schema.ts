import {
  binaryTag,
  DUMP_SCHEMA,
  defineScalarTag,
  defineSequenceTag,
  FAILSAFE_SCHEMA,
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

/*
 * The reader's and writer's rules of {@link loadYaml} and {@link dumpYaml} as tags of the YAML library.
 */

const DIGITS = [...'0123456789'];
const TRUE_WORDS = ['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE_WORDS = ['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];

/** A bare `=` or `<<`: fine as a key, an error anywhere else. */
export class BareIndicator {
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

export const READ_SCHEMA = readSchema(false);
export const READ_SCHEMA_KEEPING_TYPES = readSchema(true);

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

export const WRITE_SCHEMA = DUMP_SCHEMA.withTags(
  guarded(intTag, (text) => INT_PATTERN.test(text), libraryTag('int')),
  guarded(floatTag(false), (text) => FLOAT_PATTERN.test(text), libraryTag('float')),
  guarded(boolTag, (text) => /^[yn]$/i.test(text), libraryTag('bool')),
  guarded(timestampTag, (text) => TIMESTAMP_PATTERN.test(text), libraryTag('timestamp')),
  valueTag,
  writeMapTag,
);
