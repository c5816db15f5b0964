import { secretMasker } from './secret-scan.ts';
import { looksRandom } from './secret-shapes.ts';

/** Words of a variable's name that say that its value is a secret … */
const SECRET_NAME =
  /(?:^|[_-])(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)[_-]?KEY|APIKEY)(?=$|[_-])/i;
/** … unless it ends in one that says that it is something about a secret. */
const ABOUT_IT = /[_-](?:URL|URI|PATH|FILE|DIR|NAME|ID|TYPE|TTL|LIMIT|COUNT|HELPER|PARALLELISM)$/i;

/** Shorter values would mask ordinary words; no real token is that short. */
const MIN_SECRET_LENGTH = 8;

const MASK = '***';
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi;

/**
 * Values of all variables whose names say that they are secrets, longest first, so that one that contains another is
 * masked whole. A path is none: it names a file that holds one.
 */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name) && !ABOUT_IT.test(name))
    .map(([, value]) => value?.trim() ?? '');
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_SECRET_LENGTH && !isPath(value))
    .sort((a, b) => b.length - a.length);
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
