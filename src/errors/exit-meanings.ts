import { EXIT } from './rb-error.ts';

/** What each exit code of the command line means, for the help and docs/errors.md. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done, or PASS',
  fail: 'FAIL',
  usage: 'usage, inputs or config file',
  refused: 'refused: a precondition, a fork, a secret in the evidence',
  noVerdict: 'no verdict: INVALID, INCONCLUSIVE where that fails, or an incomplete run',
  verifyMismatch: 'the bundle does not verify',
  bug: 'a bug in this program; it prints its stack',
  busy: 'another benchmark has the host',
  sigint: 'interrupted by SIGINT',
  sigterm: 'interrupted by SIGTERM',
};

/** Codes with their meanings, in ascending order. */
export function exitTable(): readonly (readonly [number, string])[] {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]): [number, string] => [
    new Map<string, number>(Object.entries(EXIT)).get(name) ?? Number.NaN,
    meaning,
  ]);
  return rows.sort(([left], [right]) => left - right);
}
