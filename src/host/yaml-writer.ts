import { floatText } from '../pyyaml/float-text.ts';
import { FLOAT_PATTERN, INT_PATTERN, TIMESTAMP_PATTERN } from '../pyyaml/resolve.ts';
import { PyFloat, PyTimestamp } from '../pyyaml/values.ts';

/**
 * Writes YAML the way the runtime's writer lays it out: block style, list dashes at the column of their key, lines folded
 * past 80 columns, text unquoted wherever it can be. `dumpYaml` writes what is *safe to read*; this one writes what
 * readers really meet on a host (folded and multi-line text above all), so that tests run against the real layout.
 */
export function writeRuntimeYaml(value: unknown): string {
  const writer = new Writer();
  writer.root(value);
  return writer.text();
}

const BEST_WIDTH = 80;
const WORDS =
  /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|<<|=)?$/;
const BREAK = /[\n\x85\u2028\u2029]/;
// Printable without escape; characters beyond the first plane are printable, but still escaped inside double quotes.
const PRINTABLE = /^[\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]$/u;
const BARE_IN_DOUBLE = /^[\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '0', '\x07': 'a', '\x08': 'b', '\t': 't', '\n': 'n', '\x0b': 'v', '\x0c': 'f', '\r': 'r', '\x1b': 'e',
  '"': '"', '\\': '\\', '\x85': 'N', '\xa0': '_', '\u2028': 'L', '\u2029': 'P',
}; // biome-ignore format: a table reads better than fifteen lines

type Style = 'plain' | 'single' | 'double';

/** How the text has to be quoted in a block context. `isKey`: keys stay on one line. */
function styleOf(text: string, isKey: boolean): Style {
  const look = inspect(text);
  const resolves =
    WORDS.test(text) || INT_PATTERN.test(text) || FLOAT_PATTERN.test(text) || TIMESTAMP_PATTERN.test(text);
  if (!resolves && look.plain && !(isKey && look.multiline)) return 'plain';
  return look.single && !(isKey && look.multiline) ? 'single' : 'double';
}

function inspect(text: string): { plain: boolean; single: boolean; multiline: boolean } {
  if (text === '') return { plain: true, single: true, multiline: false };
  const multiline = BREAK.test(text);
  const special = [...text].some((character) => !PRINTABLE.test(character));
  const edges = /^[ \n\x85\u2028\u2029]|[ \n\x85\u2028\u2029]$/.test(text);
  const breakThenSpace = /[\n\x85\u2028\u2029] /.test(text);
  const spaceThenBreak = / [\n\x85\u2028\u2029]/.test(text);
  const single = !breakThenSpace && !spaceThenBreak && !special;
  return { plain: single && !multiline && !edges && !hasIndicator(text), single, multiline };
}

/** Characters that would start another YAML construct if the text stood unquoted in a block. */
function hasIndicator(text: string): boolean {
  if (/^(?:---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text)) return true;
  return (
    /^[-?:](?:[\0 \t\r\n\x85\u2028\u2029]|$)/.test(text) ||
    /:(?:[\0 \t\r\n\x85\u2028\u2029]|$)/.test(text.slice(1)) ||
    /[\0 \t\r\n\x85\u2028\u2029]#/.test(text)
  );
}

class Writer {
  readonly #out: string[] = [];
  #column = 0;

  text(): string {
    return this.#out.join('');
  }

  root(value: unknown): void {
    if (isEmptyOrScalar(value)) this.#scalar(value, 0);
    else this.#collection(value, 0);
    this.#raw('\n');
  }

  /** A non-empty mapping or list whose first item starts at the present column. */
  #collection(value: unknown, indent: number): void {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        if (index > 0) this.#newline(indent);
        this.#raw('-');
        this.#after(item, indent);
      });
      return;
    }
    Object.entries(value ?? {}).forEach(([key, item], index) => {
      if (index > 0) this.#newline(indent);
      this.#quoted(key, indent, true);
      this.#raw(':');
      if (isEmptyOrScalar(item)) this.#scalar(item, indent + 2, ' ');
      else {
        const inner = Array.isArray(item) ? indent : indent + 2;
        this.#newline(inner);
        this.#collection(item, inner);
      }
    });
  }

  /** What follows a dash: a scalar, or a collection that begins on the same line. */
  #after(item: unknown, indent: number): void {
    if (isEmptyOrScalar(item)) this.#scalar(item, indent + 2, ' ');
    else {
      this.#raw(' ');
      this.#collection(item, indent + 2);
    }
  }

  #scalar(value: unknown, indent: number, before = ''): void {
    this.#raw(before);
    if (typeof value === 'string') this.#quoted(value, indent, false);
    else this.#raw(scalarText(value));
  }

  #quoted(text: string, indent: number, isKey: boolean): void {
    const style = styleOf(text, isKey);
    if (style === 'plain') this.#folded(text, indent, isKey);
    else if (style === 'double') this.#double(text, indent, isKey);
    else {
      this.#raw("'");
      this.#folded(text.replaceAll("'", "''"), indent, isKey, true);
      this.#raw("'");
    }
  }

  /** Breaks at single spaces once the line is past the width; line feeds in the text become blank lines. */
  #folded(text: string, indent: number, isKey: boolean, isQuoted = false): void {
    let at = 0;
    for (const match of text.matchAll(/ +|[\n\x85\u2028\u2029]+|[^ \n\x85\u2028\u2029]+/g)) {
      const part = match[0];
      const inside = !isQuoted || (at > 0 && at + part.length < text.length);
      at += part.length;
      if (BREAK.test(part)) {
        this.#raw(part.startsWith('\n') ? `\n${part}` : part);
        this.#newline(indent, false);
      } else if (part === ' ' && inside && !isKey && this.#column > BEST_WIDTH) this.#newline(indent);
      else this.#raw(part);
    }
  }

  #double(text: string, indent: number, isKey: boolean): void {
    this.#raw('"');
    const characters = [...text];
    let run = '';
    characters.forEach((character, index) => {
      const isBare = BARE_IN_DOUBLE.test(character);
      if (!isBare) {
        this.#raw(run + escapeOf(character));
        run = '';
      }
      const mayBreak =
        index > 0 && index < characters.length - 1 && !isKey && (character === ' ' || run === '');
      if (mayBreak && this.#column + [...run].length > BEST_WIDTH) {
        this.#raw(`${run}\\`);
        run = '';
        this.#newline(indent);
        // A blank at the start of a continued line would be dropped by readers.
        if ((isBare ? character : characters[index + 1]) === ' ') this.#raw('\\');
      }
      if (isBare) run += character;
    });
    this.#raw(`${run}"`);
  }

  #newline(indent: number, withBreak = true): void {
    this.#out.push(`${withBreak ? '\n' : ''}${' '.repeat(indent)}`);
    this.#column = indent;
  }

  #raw(text: string): void {
    this.#out.push(text);
    const last = text.lastIndexOf('\n');
    this.#column = last < 0 ? this.#column + [...text].length : text.length - last - 1;
  }
}

function isEmptyOrScalar(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof PyFloat || value instanceof PyTimestamp)
    return true;
  return Object.keys(value).length === 0;
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof PyFloat) return pyFloatText(value.value);
  if (value instanceof PyTimestamp) return value.text;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : pyFloatText(value);
  if (Array.isArray(value)) return '[]';
  return typeof value === 'object' ? '{}' : String(value);
}

function escapeOf(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return `\\${known}`;
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Text of a float as Python prints it: exponent form below 1e-4 and from 1e16 on, two exponent digits. */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e');
    return `${mantissa}e${exponent[0] ?? '+'}${exponent.slice(1).padStart(2, '0')}`;
  }
  return floatText(value);
}

function pyFloatText(value: number): string {
  const text = pythonFloat(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}
