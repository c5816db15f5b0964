import { setImmediate } from 'node:timers/promises';
import { heapKeeper } from './heap.ts';

/** The longest turn of work that a signal has to wait for, milliseconds. */
const TURN_MS = 50;

/**
 * Gives way to signals and to others when the last time was a while ago; cheap enough for every step of a loop.
 * @throws the reason of the signal, once it was given.
 */
export type Breathe = () => Promise<void>;

/**
 * Long work asks this between its steps: a signal is only heard between two turns of the event loop, and what the work
 * left behind is cleared away.
 * @param signal left out: nothing stops the work, but others get their turns.
 */
export function breather(signal?: AbortSignal): Breathe {
  // Short work, which is most, needs none.
  let keepSmall: (() => void) | null = null;
  let last = performance.now();
  return async () => {
    if (performance.now() - last >= TURN_MS) {
      keepSmall ??= heapKeeper();
      keepSmall();
      await setImmediate();
      last = performance.now();
    }
    signal?.throwIfAborted();
  };
}
