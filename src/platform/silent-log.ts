import type { Log } from './ports.ts';

/** Says nothing: for work whose words would be about what nobody may know, or are said elsewhere. */
export const SILENT_LOG: Log = {
  info: () => undefined,
  warning: () => undefined,
  error: () => undefined,
  group: () => undefined,
  endGroup: () => undefined,
  progress: () => undefined,
};

/** Warnings and errors alone. */
export function quietLog(log: Log): Log {
  return {
    ...SILENT_LOG,
    warning: (message) => log.warning(message),
    error: (message) => log.error(message),
  };
}
