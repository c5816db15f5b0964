import { sha256Of } from '../base/sha256.ts';

/** Longest name of one folder or file on common file systems is 255 bytes; room for an extension stays. */
const MAX_SEGMENT = 200;
const ESCAPE = '~';
const HASH_DIGITS = 32;
const PLAIN = /^[A-Za-z0-9._-]$/;
/** Windows cannot create files of these names, whatever their extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * A branch or suite name as one safe path segment: letters, digits, `.`, `_` and `-` stay, every other UTF-8 byte
 * becomes `~` and two hex digits, as does a dot at the start or end. `decodeSegment` gives the name back. Of a name that
 * is too long for a file the beginning stays, and `~~` with a hash of the whole name follows.
 */
export function encodeSegment(name: string): string {
  if (name === '') return ESCAPE;
  const bytes = [...Buffer.from(name, 'utf8')];
  const reserved = RESERVED.test(name);
  const encoded = bytes
    .map((byte, at) => {
      const character = String.fromCharCode(byte);
      const edgeDot = character === '.' && (at === 0 || at === bytes.length - 1);
      const keep = PLAIN.test(character) && !edgeDot && !(reserved && at === 0);
      return keep ? character : `${ESCAPE}${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  return encoded.length > MAX_SEGMENT ? shortened(encoded, name) : encoded;
}

/** No other segment holds `~~`, so two names never meet. */
function shortened(encoded: string, name: string): string {
  const hash = sha256Of(name).slice(0, HASH_DIGITS);
  const start = encoded.slice(0, MAX_SEGMENT - HASH_DIGITS - 2);
  // No escape is cut in two.
  return `${start.replace(/~[0-9a-f]?$/, '')}${ESCAPE}${ESCAPE}${hash}`;
}

/** The name behind a segment; null when it is none that `encodeSegment` gives, or was shortened. */
export function decodeSegment(segment: string): string | null {
  if (segment === ESCAPE) return '';
  const bytes: number[] = [];
  for (let at = 0; at < segment.length; at += 1) {
    if (segment[at] !== ESCAPE) bytes.push(segment.charCodeAt(at));
    else {
      bytes.push(Number.parseInt(segment.slice(at + 1, at + 3), 16));
      at += 2;
    }
  }
  if (bytes.some((byte) => !(byte < 256))) return null;
  const name = Buffer.from(bytes).toString('utf8');
  return encodeSegment(name) === segment ? name : null;
}
