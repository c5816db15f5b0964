import { idsIn } from '../../base/id-ranges.ts';
import { WhyNot } from '../../base/why-not.ts';

/** How the text of an input becomes a value. `list` kinds also take a YAML list in the config file. */
export interface Kind<T> {
  /** Word for tables and messages, e.g. `rate`. */
  readonly name: string;
  readonly list: boolean;
  /** Whether the config file may also give a map, for an input of parts. */
  readonly map?: true;
  /** The value that a text means, or what is wrong with it. */
  readonly parse: (text: string) => T | Wrong;
}

/** No input is longer: a longer text is a mistake, such as a file's content in place of its path. */
const MAX_TEXT = 10_000;
const MAX_DURATION_S = 30 * 86_400;

/**
 * A kind whose parser gets the text without blanks around it. Inputs are single texts with a grammar of their own each,
 * so they need no schema library, which would take longer to load than everything else before the first line.
 */
export function kind<T>(name: string, parse: (text: string) => T | Wrong, list = false): Kind<T> {
  const bounded = (raw: string): T | Wrong =>
    raw.length > MAX_TEXT ? new Wrong(`is longer than ${MAX_TEXT} characters`) : parse(raw.trim());
  return { name, list, parse: bounded };
}

/** Codes that tell more about a wrong value than RB102, the general one. */
type WrongCode = 'RB102' | 'RB601' | 'RB603' | 'RB604';

/** Why a text is not a value; completes the sentence "input x …". */
export class Wrong {
  readonly why: string;
  readonly code: WrongCode;
  /** What to write instead; null: as the example of the input. */
  readonly fix: string | null;
  /** The text may be a secret that was given in a wrong place, and is not repeated. */
  readonly isSecret: boolean;
  constructor(why: string, code: WrongCode = 'RB102', fix: string | null = null, isSecret = false) {
    this.why = why;
    this.code = code;
    this.fix = fix;
    this.isSecret = isSecret;
  }
}

export function choice<const T extends string>(values: readonly T[]): Kind<T> {
  return kind(values.join(' or '), (text) => {
    const found = values.find((value) => value === text);
    return found ?? new Wrong(`must be ${orList(values)}`);
  });
}

function orList(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

export function int(min: number, max: number): Kind<number> {
  return kind('integer', (text) => {
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    return new Wrong(`must be an integer from ${min} to ${max}`);
  });
}

/** `0.9` or `90%`; a bare number above 1 is refused because nobody can tell 90 from a slip of the comma. */
export const rate: Kind<number> = kind('rate', rateOf);

/** The rate that a text means, or what is wrong with it. */
export function rateOf(text: string): number | Wrong {
  const match = /^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%?)$/.exec(text);
  if (match === null) return new Wrong('must be a rate from 0 to 1, or a percentage');
  const [, digits = '', percent] = match;
  const value = Number(digits);
  if (percent === '%') return value <= 100 ? value / 100 : new Wrong('must not exceed 100%');
  return value <= 1 ? value : new Wrong(`must not exceed 1; for ${digits} percent write ${digits}%`);
}

/** YAML 1.2 core rule: true, True, TRUE, false, False, FALSE and nothing else. */
export const bool: Kind<boolean> = kind('boolean', (text) => {
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return new Wrong('must be true or false');
});

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds as a number; text is `90`, `90s`, `30m`, `1.5h`, `1h30m`. */
export function duration(minS: number): Kind<number> {
  return kind('duration', (text) => {
    const seconds = durationSeconds(text);
    if (seconds === null) return new Wrong('must be a duration: seconds, or a number with s, m, h or d');
    if (seconds < minS || seconds > MAX_DURATION_S) return new Wrong(`must be from ${minS} s to 30 d`);
    return seconds;
  });
}

function durationSeconds(text: string): number | null {
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text);
  if (!/^(?:[0-9]+(?:\.[0-9]+)?[smhd])+$/.test(text)) return null;
  const parts = text.matchAll(/([0-9]+(?:\.[0-9]+)?)([smhd])/g);
  const seen = new Set<string>();
  let seconds = 0;
  for (const [, amount = '', unit = ''] of parts) {
    if (seen.has(unit)) return null;
    seen.add(unit);
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  }
  return seconds;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Bytes as a number, from 1 up; text is `500000`, `500MB`, `1.5 GiB`. A part of a byte is refused, never rounded. */
export const byteSize: Kind<number> = kind('size', (text) => {
  const match = /^([0-9]{1,15})(?:\.([0-9]{1,12}))?\s*([A-Za-z]*)$/.exec(text);
  const [, whole = '', part = '', unit = ''] = match ?? [];
  const unitBytes = UNIT_BYTES[unit];
  if (match === null || unitBytes === undefined)
    return new Wrong('must be bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB');
  // In whole numbers: 1.1 * 1e9 would be off by a fraction of a byte.
  const scale = 10n ** BigInt(part.length);
  const scaled = BigInt(whole + part) * BigInt(unitBytes);
  const bytes = Number(scaled / scale);
  const exact = scaled % scale === 0n && Number.isSafeInteger(bytes) && bytes >= 1;
  return exact ? bytes : new Wrong('must be a whole number of bytes from 1 up');
});

/** `0-9,12` as sorted ids without repetition. */
export const ranges: Kind<readonly number[]> = kind('ranges', parseRanges, true);

/** Ranges, or `all`. */
export const rangesOrAll: Kind<readonly number[] | 'all'> = kind(
  'ranges or all',
  (text) => (text === 'all' ? 'all' : parseRanges(text)),
  true,
);

function parseRanges(text: string): readonly number[] | Wrong {
  const ids = idsIn(listItems(text));
  return ids instanceof WhyNot ? new Wrong(ids.why) : ids;
}

/** Items of a list in text: commas or line breaks separate, empty items do not count. */
export function listItems(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const ONE_LINE =
  'Write it in one line; several commands belong into a script that is called, or are joined by `&&`.';

/** Free text of one line; `pattern` and the sentence that explains it narrow it. */
export function text(
  name: string,
  max: number,
  pattern?: { readonly regex: RegExp; readonly why: string },
): Kind<string> {
  return kind(name, (raw) => {
    if (/[\n\r]/.test(raw)) return new Wrong('has more than one line', 'RB102', ONE_LINE);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
    if (/[\u0000-\u001f\u007f-\u009f]/.test(raw)) return new Wrong('must not hold control characters');
    if (raw.length > max) return new Wrong(`must have at most ${max} characters`);
    if (pattern !== undefined && !pattern.regex.test(raw)) return new Wrong(pattern.why);
    return raw;
  });
}

export const path: Kind<string> = text('path', 4096);

/** A list of paths; a comma or a line break separates them. */
export const paths: Kind<readonly string[]> = kind(
  'paths',
  (raw) => {
    const items = listItems(raw);
    if (items.length === 0) return new Wrong('must hold at least one path');
    return new Set(items).size === items.length ? items : new Wrong('names something twice');
  },
  true,
);

/** A list of names such as suites; repetition is refused because it would run a suite twice. */
export const names: Kind<readonly string[]> = kind(
  'names',
  (raw) => {
    const items = listItems(raw);
    const wrong = items.find((item) => !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/.test(item));
    if (wrong !== undefined) return new Wrong(`holds ${JSON.stringify(wrong)}, which is not a name`);
    if (new Set(items).size !== items.length) return new Wrong('names something twice');
    return items.length === 0 ? new Wrong('must hold at least one name') : items;
  },
  true,
);

/** A list of some of these words. */
export function choices<const T extends string>(values: readonly T[]): Kind<readonly T[]> {
  return kind(
    'list of names',
    (raw) => {
      const items = listItems(raw);
      const known = values.filter((value) => items.includes(value));
      if (known.length === 0 || known.length < new Set(items).size)
        return new Wrong(`must name some of ${values.join(', ')}`);
      return items.length > known.length ? new Wrong('names something twice') : known;
    },
    true,
  );
}

/** Id of a document entry, with or without its `target://` style prefix. */
export function reference(prefix: string): Kind<string> {
  return kind('id', (raw) => {
    const id = raw.startsWith(prefix) ? raw.slice(prefix.length) : raw;
    return /^[^\s/\\]{1,200}$/u.test(id) ? id : new Wrong(`must be an id, with or without ${prefix}`);
  });
}

export const digest: Kind<string> = text('digest', 200, {
  regex: /^[a-z0-9]{2,20}:[0-9a-f]{32,128}$/,
  why: 'must be an algorithm and lower-case hex digits',
});
