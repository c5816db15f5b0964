import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { propertySeed } from './property-seed.ts';

/** GitHub's language service imports its own folders without file names, which only a bundler resolves. */
const BUNDLED = [/@actions\/(languageservice|workflow-parser|expressions)/];

const root = fileURLToPath(new URL('../..', import.meta.url));
const SEEDED = fileURLToPath(new URL('seeded-fast-check.ts', import.meta.url));

// The workers, and what they start, all see the one seed of the run.
process.env['RB_PROPERTY_SEED'] = String(propertySeed(process.env['RB_PROPERTY_SEED'], Math.random));

/** Whoever imports fast-check gets it with the seed of the run; a setup file would load it for every test file. */
const seeded: Plugin = {
  name: 'seeded-fast-check',
  enforce: 'pre',
  resolveId: (source, importer) => (source === 'fast-check' && importer !== SEEDED ? SEEDED : null),
};

/**
 * One project per tier: unit (pure), contract (real files, locks, sockets, peers), e2e (the built program), physics (a real
 * simulator behind the built program). The limits only end what
 * hangs: no test is near them on a quiet machine, and a busy one is several times slower.
 *
 * Unit tests share what a worker has loaded: nothing in src/ has state of a module, so that only the loading is saved,
 * which is more than half of their time. The other tiers have processes, sockets and environments to keep apart.
 */
const tier = (name: string, testTimeout: number) => ({
  root,
  plugins: [seeded],
  test: {
    name,
    root,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node',
    isolate: name !== 'unit',
    testTimeout,
    hookTimeout: testTimeout,
    server: { deps: { inline: BUNDLED } },
  },
});

export default defineConfig({
  root,
  test: {
    maxWorkers: 2,
    globalSetup: [fileURLToPath(new URL('tell-seed.ts', import.meta.url))],
    projects: [
      tier('unit', 90_000),
      tier('contract', 180_000),
      tier('e2e', 540_000),
      tier('physics', 540_000),
    ],
  },
});
