import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './ports.ts';

/** The machine's clock. Use cases get it from the entry; tests pass their own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted) return;
      throw error;
    }
  },
};
