import { dump, loadAll, YAMLException } from 'js-yaml';
import { BareIndicator, READ_SCHEMA, READ_SCHEMA_KEEPING_TYPES, WRITE_SCHEMA } from './yaml-schema.ts';

export { PyFloat, PyTimestamp } from './yaml-scalars.ts';
export { hasNonTextKey } from './yaml-schema.ts';

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
    const text = dump(clean, { schema: WRITE_SCHEMA, lineWidth: -1, noRefs: true, seqNoIndent: true });
    // An end-of-document marker, written after a text with blank lines at its end, must not travel into a list.
    return text.replace(/\n\.\.\.\n$/, '\n');
  } catch (error) {
    if (error instanceof YAMLException) throw new TypeError(error.reason, { cause: error });
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
