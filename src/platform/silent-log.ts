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
