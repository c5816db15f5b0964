import { DEFAULT_SCALAR_STYLE_RULES, type DumpOptions, dump, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { WRITE_SCHEMA } from './yaml-schema.ts';

// The peer reads an escaped half of a surrogate pair, and then cannot write its own file any more.
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

// Text of several lines is quoted, as the peer's own writer does: a text block changes its meaning with what follows it.
const STYLE_RULES: NonNullable<DumpOptions['scalarStyleRules']> = [
  (layout) => {
    if (layout.node.value.includes('\n')) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  },
  ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
];

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
 * keep their kind (PyFloat for a float without fraction), lines are not folded. `undefined` properties are left
 * out. Ends with a line feed. Throws TypeError for values YAML cannot carry (functions, symbols).
 */
export function dumpYaml(value: unknown): string {
  const clean = mapText(value, (text) => text.replace(LONE_SURROGATE, '\ufffd'));
  if (topKeys(clean).some((key) => typeof key === 'string' && /^(?:---|\.\.\.)/.test(key))) {
    throw new TypeError('a top-level key must not start with --- or ...');
  }
  try {
    const layout = { lineWidth: -1, noRefs: true, seqNoIndent: true };
    return dump(clean, { schema: WRITE_SCHEMA, scalarStyleRules: STYLE_RULES, ...layout });
  } catch (error) {
    if (error instanceof YAMLException) throw new TypeError(error.reason, { cause: error });
    throw error;
  }
}

function topKeys(value: unknown): unknown[] {
  if (value instanceof Map) return [...value.keys()];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
