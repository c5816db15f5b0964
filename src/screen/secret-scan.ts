import { SECRET_SHAPES, type SecretShape } from './secret-shapes.ts';

/** Overlap of two pieces of a stream: longer than any shape's shortest form and any token of a runner. */
const OVERLAP = 4096;

const MASK = '***';
const OWN = 'credential of this environment';

/** Inside a JSON string, as JavaScript and as Python write it: quotes, backslashes, letters beyond ASCII. */
function inJson(secret: string): readonly string[] {
  const text = JSON.stringify(secret).slice(1, -1);
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [text, text.replace(/[\u0080-\uffff]/g, escaped)];
}

/** In HTML and XML. */
function inMarkup(secret: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return secret.replace(/[&<>"]/g, (character) => `&${names[character]};`);
}

/**
 * A value as itself, inside JSON, CSV, markup and an address, in hexadecimal, and inside Base64 of something longer: at each of
 * the three alignments.
 */
function formsOf(secret: string): readonly string[] {
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.from(`${'\0'.repeat(before)}${secret}`, 'utf8');
    const text = bytes.toString('base64').replace(/=+$/, '');
    // The first characters hold what stands before, the last one may hold what follows.
    return text.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1);
  });
  const url = inside.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  const inCsv = secret.replaceAll('"', '""');
  const texts = [secret, ...inJson(secret), inCsv, inMarkup(secret), encodeURIComponent(secret)];
  return [...new Set([...texts, hex, hex.toUpperCase(), ...inside, ...url])];
}

/**
 * What a reader of HTML, XML or Markdown sees: characters instead of their entities, and nothing where a comment splits a
 * word, as it does what looks like a commit, a mention or an address.
 */
function asRead(text: string): string {
  if (!text.includes('&') && !text.includes('<!-- -->') && !text.includes('\\|')) return text;
  return text
    .replaceAll('<!-- -->', '')
    .replaceAll('\\|', '|')
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

/** Where a shape matches for certain. Pure. */
function matchesOf({ pattern, accepts }: SecretShape, text: string): boolean {
  if (accepts === undefined) return text.search(pattern) >= 0;
  for (const found of text.matchAll(pattern)) if (accepts(found.at(-1) ?? '')) return true;
  return false;
}

interface SecretScanner {
  feed(chunk: Uint8Array): void;
  /** Kinds found, sorted; never the secret itself. */
  found(): readonly string[];
}

/**
 * Looks for credentials in a stream of bytes: the given values (in an address and in Base64, too), and `SECRET_SHAPES`.
 * Text is taken as Latin-1, which keeps every ASCII secret whole in any encoding that contains ASCII.
 */
export function secretScanner(secrets: readonly string[]): SecretScanner {
  const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const values = secrets.flatMap((secret) => formsOf(secret).map(latin1));
  const kinds = new Set<string>();
  let tail = '';
  return {
    feed(chunk) {
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      if (!kinds.has(OWN) && holdsAny(text, values)) kinds.add(OWN);
      for (const shape of SECRET_SHAPES) {
        if (kinds.has(shape.kind) || !shape.starts.some((start) => text.includes(start))) continue;
        if (matchesOf(shape, text)) kinds.add(shape.kind);
      }
      tail = text.slice(-OVERLAP);
    },
    found: () => [...kinds].sort(),
  };
}

function holdsAny(text: string, values: readonly string[]): boolean {
  if (values.length === 0) return false;
  const read = asRead(text);
  return values.some((value) => text.includes(value) || (read !== text && read.includes(value)));
}

/** A function that tells whether a text holds one of these values, in any of the ways that it may be written. */
export function valueFinder(secrets: readonly string[]): (text: string) => boolean {
  const values = secrets.flatMap(formsOf);
  return (text) => holdsAny(text, values);
}

/** A function that replaces these values and nothing else: results have words of their own that look like credentials. */
export function valueMasker(secrets: readonly string[]): (text: string) => string {
  const values = secrets.flatMap(formsOf).toSorted((left, right) => right.length - left.length);
  return (text) => values.reduce((rest, value) => rest.replaceAll(value, MASK), text);
}

/** A function that replaces everything the scanner would find in a text, whole. */
export function secretMasker(secrets: readonly string[]): (text: string) => string {
  const withoutValues = valueMasker(secrets);
  return (text) =>
    SECRET_SHAPES.reduce(
      (rest, shape) => rest.replace(shape.pattern, (...found: string[]) => masked(shape, found)),
      withoutValues(text),
    );
}

/** The name beside a value stays, so that a reader sees what was there. */
function masked({ accepts }: SecretShape, [whole = '', value = '']: readonly string[]): string {
  if (accepts === undefined) return MASK;
  return accepts(value) ? `${whole.slice(0, whole.length - value.length)}${MASK}` : whole;
}

/** The same for a text that is not a file yet. */
export function secretsIn(text: string, secrets: readonly string[]): readonly string[] {
  const scanner = secretScanner(secrets);
  scanner.feed(Buffer.from(text, 'utf8'));
  return scanner.found();
}
