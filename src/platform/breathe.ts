import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Bytes that may come on top of what lived after the last collection (half of them are the youngest), and their least share of it. */
const GROWTH_BYTES = 24 * 1024 * 1024;
const GROWTH_SHARE = 0.5;

/**
 * Keeps the engine from guesses that cost long work its memory: that what is made at places where much lived on will live
 * on, too (V8 then puts it among the long-lived at once, and a validator's every step with it), and that four times what
 * lives may pile up before a full collection.
 * @returns to be called from time to time: collects when much has piled up. The larger the part that lives, the more may,
 * so that the time for all collections stays a small share.
 */
function heapKeeper(): () => void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') return () => {};
  let lived = bytesInUse();
  return () => {
    if (bytesInUse() < lived + Math.max(GROWTH_BYTES, lived * GROWTH_SHARE)) return;
    collect();
    lived = bytesInUse();
  };
}

/** Buffers are outside the heap, and their memory is given back by its collections only. */
function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
