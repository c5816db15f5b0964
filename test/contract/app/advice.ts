import { execFileSync } from 'node:child_process';
import { VERBS } from '../../../src/app/verbs.ts';
import { called } from './verb-context.ts';

/** The commands of this program in a text, as a person would copy them: to the end of the line, or of the quotation. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/rollout-bench [a-z]+ (?:[^`\n)]|\)(?!$))+/gm)].map(([command]) => command.trim());
}

/** Words of a command line, by a real shell. */
export function shellWords(command: string): string[] {
  const script = `set -- ${command}\nfor word in "$@"; do printf '%s\\0' "$word"; done`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** Runs a command as it stands; its exit code, and what it said. */
export async function followed(
  command: string,
): Promise<{ exitCode: number; said: string; printed: string }> {
  const [program, ...argv] = shellWords(command);
  if (program !== 'rollout-bench') throw new Error(`another program: ${command}`);
  const call = await called(argv);
  const name = argv[0];
  if (name === undefined || !(name in VERBS)) throw new Error(`no verb: ${command}`);
  // It is among the names that were looked at.
  const use = await VERBS[name as keyof typeof VERBS]();
  const exitCode = await use(call.verb);
  return { exitCode, said: call.log.lines.join('\n'), printed: call.printed() };
}

/** Follows the only command in a text. */
export async function followedIn(text: string): Promise<{ exitCode: number; said: string; printed: string }> {
  const [command, ...more] = new Set(commandsIn(text));
  if (command === undefined || more.length > 0) throw new Error(`not one command in: ${text}`);
  return followed(command);
}
