import { MAX_JSON_DEPTH } from '../base/json-depth.ts';
import { endOfText } from '../base/json-text.ts';

/**
 * What a document of a bundle may hold. A plan of 10,000 cells has 10,000 maps and 50,000 values, a manifest of 30,000
 * files 30,000 and 100,000: the limits are far above, and far below what fills a host's memory.
 */
const MAX_CONTAINERS = 200_000;
const MAX_VALUES = 2_000_000;

/** A text that no document of ours is: the message says why, in words that fit after "the document cannot be used:". */
export class NotStrictJson extends Error {
  override readonly name = 'NotStrictJson';
}

/**
 * Parses JSON that anybody may have written. Two readers take different values from a map that has a key twice, so such
 * a text is refused, and its size is known before anything is built. Pure.
 * @throws NotStrictJson
 */
export function parseStrictJson(text: string): unknown {
  const fault = structureFault(text);
  if (fault !== null) throw new NotStrictJson(fault);
  const value = parsed(text);
  if (MAY_BE_ENDLESS.test(text) && holdsEndless(value))
    throw new NotStrictJson('it holds a number that is too large to be one');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotStrictJson('it is not JSON');
  }
}

/** Numbers from 1.8e308 on are read as infinite, and no document can be written with one. */
const MAY_BE_ENDLESS = /\de\+?\d{3}|\d{309}/i;

/** Its depth was looked at before. */
function holdsEndless(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsEndless);
}

/** An open map with its keys so far, or an open list. */
interface Open {
  readonly keys: Set<string> | null;
}

/** One pass over brackets, commas and texts; whatever else is wrong is for the parser to find. */
function structureFault(text: string): string | null {
  const open: Open[] = [];
  let containers = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(text, at);
        if (end === -1) return 'it is not JSON';
        const keys = open.at(-1)?.keys ?? null;
        if (keys !== null && isKey(text, end)) {
          const key = plainText(text.slice(at, end + 1));
          if (keys.has(key)) return `it has the key ${JSON.stringify(key.slice(0, 80))} twice`;
          keys.add(key);
        }
        at = end;
        break;
      }
      case BRACE:
      case BRACKET:
        containers += 1;
        open.push({ keys: text.charCodeAt(at) === BRACE ? new Set() : null });
        if (open.length > MAX_JSON_DEPTH) return `it is nested deeper than ${MAX_JSON_DEPTH} levels`;
        break;
      case END_BRACE:
      case END_BRACKET:
        open.pop();
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (containers > MAX_CONTAINERS || values > MAX_VALUES) return 'it holds more than any document of ours';
  }
  return null;
}

const QUOTE = 0x22;
const BRACE = 0x7b;
const END_BRACE = 0x7d;
const BRACKET = 0x5b;
const END_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (WHITE_SPACE.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The key itself: `"a"` and `"\u0061"` are one. A text that cannot be read is for the parser. */
function plainText(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
