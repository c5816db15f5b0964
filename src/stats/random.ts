import { seededRandom } from '../base/random.ts';

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
