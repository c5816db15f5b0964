/** The seed of an ordinary run: the same for everybody, so that a rare counterexample fails no change that did not cause it. */
const USUAL = 1;
const BELOW = 2 ** 31;

/**
 * The seed of the property tests of a run.
 * @param wanted RB_PROPERTY_SEED: empty for the usual one, a whole number from 0 to 2^31 - 1, or `random`
 * @param random 0 ≤ x < 1
 * @throws Error on anything else: a misspelt seed would repeat nothing
 */
export function propertySeed(wanted: string | undefined, random: () => number): number {
  if (wanted === undefined || wanted === '') return USUAL;
  if (wanted === 'random') return Math.floor(random() * BELOW);
  const seed = /^\d{1,10}$/.test(wanted) ? Number(wanted) : BELOW;
  if (seed >= BELOW) {
    throw new Error(
      `RB_PROPERTY_SEED is ${wanted}. Fix: Give a whole number from 0 to ${BELOW - 1}, or random.`,
    );
  }
  return seed;
}
