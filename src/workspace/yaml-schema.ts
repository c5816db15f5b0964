import { DUMP_SCHEMA, defineScalarTag, mapTag, NOT_RESOLVED, type ScalarTagDefinition } from 'js-yaml';
import { floatText } from '../pyyaml/float-text.ts';
import { FLOAT_PATTERN, INT_PATTERN, TIMESTAMP_PATTERN } from '../pyyaml/resolve.ts';
import { PyFloat, PyTimestamp } from '../pyyaml/values.ts';

/*
 * The rules of {@link dumpYaml} as tags of the YAML library, which lays the text out: what the peer's reader would take
 * for something else than text is quoted, and numbers keep their kind.
 */

const intTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
  implicit: true,
  resolve: () => NOT_RESOLVED,
  identify: isIntegerValue,
  represent: (value: unknown) => String(value),
});

function isIntegerValue(value: unknown): boolean {
  return typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0));
}

const floatTag = defineScalarTag<number | PyFloat>('tag:yaml.org,2002:float', {
  implicit: true,
  resolve: () => NOT_RESOLVED,
  identify: (value: unknown) =>
    value instanceof PyFloat || (typeof value === 'number' && !isIntegerValue(value)),
  represent: (value: unknown) => floatText(value instanceof PyFloat ? value.value : Number(value)),
});

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  resolve: () => NOT_RESOLVED,
  identify: (value: unknown) => typeof value === 'boolean',
  represent: (value: unknown) => (value === true ? 'true' : 'false'),
});

const timestampTag = defineScalarTag<PyTimestamp>('tag:yaml.org,2002:timestamp', {
  implicit: true,
  resolve: () => NOT_RESOLVED,
  identify: (value: unknown) => value instanceof PyTimestamp,
  represent: (value: unknown) => (value instanceof PyTimestamp ? value.text : String(value)),
});

const valueTag = defineScalarTag<null>('tag:yaml.org,2002:value', {
  implicit: true,
  resolve: (source) => (source === '=' ? null : NOT_RESOLVED),
  identify: () => false,
});

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
  guarded(floatTag, (text) => FLOAT_PATTERN.test(text), libraryTag('float')),
  guarded(boolTag, (text) => /^[yn]$/i.test(text), libraryTag('bool')),
  guarded(timestampTag, (text) => TIMESTAMP_PATTERN.test(text), libraryTag('timestamp')),
  valueTag,
  writeMapTag,
);
