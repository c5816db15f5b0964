/** Shapes of credentials that have a recognisable form. */
const SHAPES: readonly Shape[] = [
  {
    kind: 'GitHub token',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  },
  { kind: 'GitHub fine-grained token', starts: ['github_pat_'], pattern: /\bgithub_pat_[A-Za-z0-9_]{50,}/ },
  { kind: 'Hugging Face token', starts: ['hf_'], pattern: /\bhf_[A-Za-z0-9]{30,}/ },
  { kind: 'AWS access key', starts: ['AKIA', 'ASIA'], pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { kind: 'Google API key', starts: ['AIza'], pattern: /\bAIza[0-9A-Za-z_-]{35}\b/ },
  { kind: 'Slack token', starts: ['xox'], pattern: /\bxox[abprs]-[0-9A-Za-z-]{20,}/ },
  { kind: 'API key', starts: ['sk-'], pattern: /\bsk-[A-Za-z0-9_-]{32,}/ },
  {
    kind: 'private key',
    starts: ['PRIVATE KEY-----'],
    pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/,
  },
  {
    kind: 'JSON web token',
    starts: ['eyJ'],
    pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  },
  {
    kind: 'password in an address',
    starts: ['://'],
    pattern: /:\/\/[^/?#\s"'@:]*:[^/?#\s"'@]{3,}@[A-Za-z0-9[]/,
  },
];

interface Shape {
  readonly kind: string;
  /** Pieces that every match contains; plain searches are many times faster than the pattern. */
  readonly starts: readonly string[];
  readonly pattern: RegExp;
}

/** Overlap of two pieces of a stream: longer than any shape's shortest form and any token of a runner. */
const OVERLAP = 4096;

const MASK = '***';

function base64Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');
}

export interface SecretScanner {
  feed(chunk: Uint8Array): void;
  /** Kinds found, sorted; never the secret itself. */
  found(): readonly string[];
}

/**
 * Looks for credentials in a stream of bytes: the given values (and their Base64 forms), and the shapes above.
 * Text is taken as Latin-1, which keeps every ASCII secret whole in any encoding that contains ASCII.
 */
export function secretScanner(secrets: readonly string[]): SecretScanner {
  const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const values = secrets.flatMap((secret) => [latin1(secret), base64Of(secret)]);
  const kinds = new Set<string>();
  let tail = '';
  return {
    feed(chunk) {
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      if (values.some((value) => text.includes(value))) kinds.add('credential of this environment');
      for (const { kind, starts, pattern } of SHAPES) {
        if (starts.some((start) => text.includes(start)) && pattern.test(text)) kinds.add(kind);
      }
      tail = text.slice(-OVERLAP);
    },
    found: () => [...kinds].sort(),
  };
}

/** A function that replaces everything the scanner would find in a text. */
export function secretMasker(secrets: readonly string[]): (text: string) => string {
  const values = secrets.flatMap((secret) => [secret, base64Of(secret)]);
  const shapes = SHAPES.map(({ pattern }) => new RegExp(pattern.source, `${pattern.flags}g`));
  return (text) =>
    shapes.reduce(
      (rest, shape) => rest.replace(shape, MASK),
      values.reduce((rest, value) => rest.replaceAll(value, MASK), text),
    );
}

/** The same for a text that is not a file yet. */
export function secretsIn(text: string, secrets: readonly string[]): readonly string[] {
  const scanner = secretScanner(secrets);
  scanner.feed(Buffer.from(text, 'utf8'));
  return scanner.found();
}
