/** Source of uniformly distributed 32-bit unsigned integers. */
export type Random = () => number;

const UINT32 = 2 ** 32;

/**
 * A reproducible generator: xoshiro128** (Blackman and Vigna, 2018) whose four words are filled by SplitMix32 from
 * the seed. Written here, not taken from a library, because a plan's order must stay the same for the same seed in
 * every later release: the digest of a plan depends on it.
 * @param seed integer from 0 to 2^53 - 1; all of its bits count.
 */
export function seededRandom(seed: number): Random {
  let filler = (seed % UINT32) >>> 0;
  const high = Math.floor(seed / UINT32);
  const fill = (): number => {
    filler = (filler + 0x9e3779b9) >>> 0;
    let word = filler;
    word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  };
  let a = fill();
  let b = fill() ^ high;
  let c = fill();
  let d = fill();
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Uniform integer in [0, bound); draws that would favour small numbers are thrown away. */
export function randomBelow(random: Random, bound: number): number {
  const limit = UINT32 - (UINT32 % bound);
  let draw = random();
  while (draw >= limit) draw = random();
  return draw % bound;
}

/** A new list in random order (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = randomBelow(random, last + 1);
    // Both indexes are inside the list, so neither element can be missing.
    const held = result[last] as T;
    result[last] = result[other] as T;
    result[other] = held;
  }
  return result;
}

/** Uniform numbers in [0, 1). */
export type RandomSource = () => number;

/**
 * Seeded uniform numbers from the generator that also orders plans, so that bootstrap and simulated figures are the
 * same on every machine. Not for secrets.
 */
export function randomSource(seed: number): RandomSource {
  const draw = seededRandom(seed);
  return () => draw() / 4294967296;
}
