import * as core from '@actions/core';
import { printable, withoutCommands } from './log-text.ts';
import type { Log } from './ports.ts';
import { everyInterval } from './terminal-log.ts';

interface ActionsLogOptions {
  readonly now: () => number;
  readonly redact: (text: string) => string;
}

/**
 * Log of a step on a GitHub runner: foldable groups, warnings and errors as annotations, progress as a plain line
 * every half minute. Texts from outside cannot issue workflow commands.
 */
export function actionsLog(options: ActionsLogOptions): Log {
  const clean = (message: string): string => printable(options.redact(message));
  const plain = (message: string): void => core.info(withoutCommands(clean(message)));
  const dueProgress = everyInterval(options.now);
  return {
    info: plain,
    // The command escapes line breaks itself, so its text cannot start a new command.
    warning: (message) => core.warning(clean(message)),
    error: (message) => core.error(clean(message)),
    group: (title) => core.startGroup(clean(title).replaceAll('\n', ' ')),
    endGroup: () => core.endGroup(),
    progress: (message) => {
      if (message !== '' && dueProgress()) plain(message);
    },
  };
}

/** Tells the runner to mask these values in everything the job prints from now on. */
export function maskInJobLog(secrets: readonly string[]): void {
  for (const secret of secrets) core.setSecret(secret);
}
