/** Shapes of credentials that have a recognisable form. */
const SHAPES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36,}/],
  ['GitHub fine-grained token', /\bgithub_pat_[A-Za-z0-9_]{50,}/],
  ['Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/],
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['Google API key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['Slack token', /\bxox[abprs]-[0-9A-Za-z-]{20,}/],
  ['API key', /\bsk-[A-Za-z0-9_-]{32,}/],
  ['private key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/],
  ['JSON web token', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/],
  ['password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^/?#\s"'@:]*:[^/?#\s"'@]{3,}@[A-Za-z0-9[]/i],
];

/** Overlap of two pieces of a stream: longer than any shape's shortest form and any token of a runner. */
const OVERLAP = 4096;

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
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');
  const values = secrets.flatMap((secret) => [latin1(secret), base64(secret)]);
  const kinds = new Set<string>();
  let tail = '';
  return {
    feed(chunk) {
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      if (values.some((value) => text.includes(value))) kinds.add('credential of this environment');
      for (const [kind, pattern] of SHAPES) if (!kinds.has(kind) && pattern.test(text)) kinds.add(kind);
      tail = text.slice(-OVERLAP);
    },
    found: () => [...kinds].sort(),
  };
}

/** The same for a text that is not a file yet. */
export function secretsIn(text: string, secrets: readonly string[]): readonly string[] {
  const scanner = secretScanner(secrets);
  scanner.feed(Buffer.from(text, 'utf8'));
  return scanner.found();
}
