import type { Clock } from '../platform/ports.ts';
import { commandAt, commandEnvironment } from './environment.ts';
import { LogTail } from './log-tail.ts';
import type { ProcessRecord } from './record.ts';
import { endText, startShellLine } from './shell-line.ts';

interface StopOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** How long it may take; it is ended with everything else afterwards. */
  readonly withinMs: number;
  readonly mask: (text: string) => string;
}

/**
 * Runs the stop command of a policy, for what no signal of ours reaches.
 * @returns null when it ended well or there is none, else in words what went wrong.
 */
export async function runStopCommand(record: ProcessRecord, options: StopOptions): Promise<string | null> {
  const { stopCommand, port, token, names, directory } = record;
  if (stopCommand === null) return null;
  const { env, clock, withinMs, mask } = options;
  const tail = new LogTail();
  const child = startShellLine({
    command: commandAt(stopCommand, port),
    directory,
    env: commandEnvironment(env, { port, token, names }),
    onOutput: (chunk) => tail.push(chunk),
  });
  const over = new AbortController();
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? null : endText(code, signal)));
  });
  const late = clock.sleep(withinMs, over.signal).then(() => `it took longer than ${withinMs / 1000} s`);
  const why = await Promise.race([ended, late]);
  over.abort();
  if (why === null) return null;
  const last = tail.lastLines(mask, 1)[0];
  return last === undefined ? why : `${why}; its last line: ${last}`;
}
