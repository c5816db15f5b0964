/** Says once, at the start of a run, how its property tests are repeated. */
export default function tellSeed(): void {
  console.log(`Property tests: RB_PROPERTY_SEED=${process.env['RB_PROPERTY_SEED']}`);
}
