import { secretMasker } from './secret-scan.ts';
import { looksRandom } from './secret-shapes.ts';

/** Words of a variable's name that say that its value is a secret … */
const SECRET_NAME =
  /(?:^|[_-])(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PAT|CREDENTIALS?|COOKIES?|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)[_-]?KEY|APIKEY)(?=$|[_-])|[A-Z0-9][_-]PWD$/i;
/** Words that may say so: then the value must look like one, too. */
const MAYBE_NAME = /(?:^|[_-])(?:KEYS?|AUTH|DSN|WEBHOOK|CERT|PFX|SALT)(?=$|[_-])/i;
const IN_PUBLIC = /(?:^|[_-])(?:PUBLIC|CACHE)(?=$|[_-])/i;
/** … unless it ends in one that says that it is something about a secret. */
const ABOUT_IT = /[_-](?:URL|URI|PATH|FILE|DIR|NAME|ID|TYPE|TTL|LIMIT|COUNT|HELPER|PARALLELISM|SOCK)$/i;

/** Shorter values would mask ordinary words; no real token is that short. */
const MIN_SECRET_LENGTH = 8;
/** A line of a key has 64 characters, its last one may have fewer. */
const MIN_LINE_LENGTH = 20;

const MASK = '***';
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi;

/**
 * Values of all variables whose names say that they are secrets, longest first, so that one that contains another is
 * masked whole. A path is none: it names a file that holds one. Of a value of several lines, as a key or a JSON document,
 * each line that looks like a secret counts as well: whatever prints it prints line by line.
 */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) => secretsIn(name, value?.trim() ?? ''));
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

function secretsIn(name: string, value: string): readonly string[] {
  if (value.length < MIN_SECRET_LENGTH || ABOUT_IT.test(name) || isPath(value)) return [];
  const isNamed = SECRET_NAME.test(name);
  const isLikely = MAYBE_NAME.test(name) && !IN_PUBLIC.test(name) && looksRandom(value);
  if (!isNamed && !isLikely) return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1
    ? [value]
    : [value, ...lines.filter((line) => line.length >= MIN_LINE_LENGTH && looksRandom(line))];
}

function isPath(value: string): boolean {
  return value.startsWith('/') && !looksRandom(value);
}

/**
 * A function that replaces these secrets, everything else that looks like a credential, and user names and passwords
 * inside addresses by `***`.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const masked = secretMasker(secrets);
  return (text) => masked(text.replace(URL_CREDENTIALS, `$1${MASK}@`));
}
