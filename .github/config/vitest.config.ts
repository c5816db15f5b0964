import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** GitHub's language service imports its own folders without file names, which only a bundler resolves. */
const BUNDLED = [/@actions\/(languageservice|workflow-parser|expressions)/];

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * One project per tier: unit (pure), contract (real files, locks, sockets, peers), e2e (the built program). The limits only end what
 * hangs: no test is near them on a quiet machine, and a busy one is several times slower.
 */
const tier = (name: string, testTimeout: number) => ({
  root,
  test: {
    name,
    root,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node',
    testTimeout,
    hookTimeout: testTimeout,
    server: { deps: { inline: BUNDLED } },
  },
});

export default defineConfig({
  root,
  test: {
    maxWorkers: 2,
    projects: [tier('unit', 90_000), tier('contract', 180_000), tier('e2e', 540_000)],
  },
});
