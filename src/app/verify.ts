import * as path from 'node:path';
import { type Difference, verifyBundle } from '../bundle/verify.ts';
import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import type { VerbContext } from './verb.ts';

/** `verify`: is a bundle what was sealed, and do its numbers follow from its raw evidence? Offline, without a token. */
export async function verify(verb: VerbContext): Promise<ExitCode> {
  const bundleDir = path.resolve(verb.args[0] ?? '.');
  const differences = await verifyBundle(bundleDir);
  if (verb.json)
    verb.stdout(`${JSON.stringify({ verified: differences.length === 0, differences }, null, 2)}\n`);
  else verb.stdout(verifyText(differences));
  return differences.length === 0 ? EXIT.ok : EXIT.verifyMismatch;
}

/** Pure. */
export function verifyText(differences: readonly Difference[]): string {
  if (differences.length === 0) {
    return 'Verified: every file is as sealed, the journal is whole, and results.json follows from raw/.\nThis proves integrity, not origin: who can run code as the runner can also seal a bundle.\n';
  }
  const lines = differences.map(({ kind, path: file, message }) => `${file}: ${message} (${kind})`);
  return `Not verified, ${differences.length} differences:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
