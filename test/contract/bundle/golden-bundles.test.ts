import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stableJson } from '../../../src/base/stable-json.ts';
import { type LoadedBundle, loadBundle } from '../../../src/bundle/load-bundle.ts';
import { unpackBundle } from '../../../src/bundle/unpack.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { mergeParts } from '../../../src/results/merge-shards.ts';

const FOLDER = fileURLToPath(new URL('../../../fixtures/bundles/', import.meta.url));

/** Outcomes of the candidate in every bundle that was kept of release 0.1.0, as that release counted them. */
const KEPT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  approved: { success: 2 },
  capped: { success: 4 },
  collected: { success: 5, failure: 1 },
  'control-expert': { success: 2 },
  'control-too-slow': { timed_out: 1 },
  'early-stop': { success: 10, failure: 8, after_stop: 1, not_run: 31 },
  'floor-stop': { success: 3, failure: 3, after_stop: 1, not_run: 43 },
  'held-out': { success: 4 },
  'held-out-cells': { success: 1, failure: 1 },
  'one-arm': { success: 6 },
  recorded: { success: 4 },
  redacted: { success: 4 },
  release: { success: 4 },
  resumed: { success: 9, failure: 1 },
  selected: { success: 4 },
  'shard-1-of-2': { success: 2 },
  'shard-2-of-2': { success: 2 },
  'two-arms': { success: 2, failure: 2 },
};

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rb-golden-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function unpacked(name: string): Promise<string> {
  const into = mkdtempSync(join(scratch, 'bundle-'));
  return unpackBundle(join(FOLDER, `${name}.tar.gz`), into);
}

describe('a bundle of release 0.1.0', () => {
  it('is kept of every kind', () => {
    const archives = readdirSync(FOLDER).filter((name) => name.endsWith('.gz'));
    expect(archives.map((name) => name.replace('.tar.gz', '')).sort()).toEqual(Object.keys(KEPT).sort());
  });

  it.each(Object.entries(KEPT))('verifies and gives the numbers it gave then: %s', async (name, counted) => {
    const dir = await unpacked(name);
    expect(await verifyBundle(dir)).toEqual([]);
    const bundle = await loadBundle(dir);
    expect(stableJson(bundle.results)).toBe(readFileSync(join(dir, 'results.json'), 'utf8'));
    const candidate = bundle.results.arms.find(({ arm }) => arm === 'candidate');
    const seen = Object.entries(candidate?.outcomes ?? {}).filter(([, count]) => count > 0);
    expect(Object.fromEntries(seen)).toEqual(counted);
  });

  it('goes together with the other shard', async () => {
    const parts: LoadedBundle[] = [];
    for (const name of ['shard-1-of-2', 'shard-2-of-2']) parts.push(await loadBundle(await unpacked(name)));
    const { measurements, problems } = mergeParts(parts);
    expect(problems).toEqual([]);
    expect(measurements.map(({ results }) => results.arms[0]?.successRate)).toMatchObject([{ k: 4, n: 4 }]);
  });
});
