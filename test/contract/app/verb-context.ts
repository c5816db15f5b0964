import { inputsOfLine } from '../../../src/app/gather-inputs.ts';
import { qualify } from '../../../src/app/qualify.ts';
import { parseArgs } from '../../../src/inputs/parse-args.ts';
import type { Environment, VerbContext } from '../../../src/job/verb.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { KeptLog } from '../github/loopback/client-for.ts';

/** A verb as the command line gets it, with what it printed and said. */
export interface Called {
  readonly verb: VerbContext;
  readonly log: KeptLog;
  readonly printed: () => string;
}

/** Reads a command line the way the program does, for calling a use case in this process. */
export async function called(argv: readonly string[], env: Environment = {}): Promise<Called> {
  const parsed = parseArgs(argv);
  if (parsed.kind !== 'verb') throw new Error(`no verb in ${argv.join(' ')}`);
  const log = new KeptLog();
  let printed = '';
  return {
    log,
    printed: () => printed,
    verb: {
      screen: null,
      args: parsed.positional,
      options: parsed.options,
      inputs: await inputsOfLine(parsed),
      json: parsed.json,
      log,
      clock: systemClock,
      signal: new AbortController().signal,
      env,
      stdout: (text) => {
        printed += text;
      },
      action: null,
    },
  };
}

/** Qualifies a suite, as a release asks for; gives the exit code. */
export async function qualified(
  workspace: string,
  suite = 'libero_spatial',
  more: readonly string[] = [],
): Promise<number> {
  const { verb } = await called(['qualify', '--workspace', workspace, '--suite', suite, ...more]);
  return qualify(verb);
}
