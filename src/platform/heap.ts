import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that may come on top of what lived after the last collection (half of them are the youngest), and their least share of it. */
const GROWTH_BYTES = 36 * 1024 * 1024;
const GROWTH_SHARE = 1;

/**
 * Keeps the engine from guesses that cost long work its memory: that what is made at places where much lived on will live
 * on, too (V8 then puts it among the long-lived at once, and a validator's every step with it), and that four times what
 * lives may pile up before a full collection.
 * @returns to be called from time to time: collects when much has piled up. The larger the part that lives, the more may,
 * so that the time for all collections stays a small share.
 */
export function heapKeeper(): () => void {
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
