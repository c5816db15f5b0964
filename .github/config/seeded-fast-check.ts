/** fast-check with the seed of this run; the tests get it in place of the bare package (vitest.config.ts). */
import fc from 'fast-check';
import { propertySeed } from './property-seed.ts';

fc.configureGlobal({ seed: propertySeed(process.env['RB_PROPERTY_SEED'], Math.random) });

export * from 'fast-check';
export default fc;
