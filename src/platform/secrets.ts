import { secretMasker } from '../bundle/secret-scan.ts';

/** Environment variables that hold credentials on a runner or a developer's machine. */
const SECRET_VARIABLES = [
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'INPUT_GITHUB-TOKEN',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
] as const;

/** Shorter values would mask ordinary words; no real token is that short. */
const MIN_SECRET_LENGTH = 8;

const MASK = '***';
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi;

/** Credentials found in the environment, longest first, so that one that contains another is masked whole. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = SECRET_VARIABLES.map((name) => env[name]?.trim() ?? '');
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}

/**
 * A function that replaces these secrets, everything else that looks like a credential, and user names and passwords
 * inside addresses by `***`.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const masked = secretMasker(secrets);
  return (text) => masked(text.replace(URL_CREDENTIALS, `$1${MASK}@`));
}
