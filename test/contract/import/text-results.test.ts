import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { importResults } from '../../../src/job/imports/import-results.ts';
import { ROOT } from '../../unit/meta/source-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-text-'));
  mkdirSync(join(folder, 'into'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function imported(place: string, planned: string | null): ReturnType<typeof importResults> {
  return importResults({
    paths: [place],
    format: null,
    asked: { suite: null, planned, initStates: null },
    policyRef: null,
    purpose: 'adhoc',
    source: {},
    into: join(folder, 'into'),
    template: null,
    secrets: [],
    nowMs: Date.UTC(2026, 10, 30, 12),
    signal: new AbortController().signal,
  });
}

describe('a text log as a bundle', () => {
  it.each([
    ['log-openvla', '2x3', 'openvla', { k: 4, n: 5 }],
    ['log-oft', '2x3', 'openvla-oft', { k: 4, n: 5 }],
    ['log-openpi', null, 'openpi', { k: 4, n: 5 }],
    ['robotwin-console', null, 'robotwin', { k: 2, n: 3 }],
    ['robotwin-old', '1x100', 'robotwin', { k: 43, n: 100 }],
    ['simplerenv', null, 'simplerenv', { k: 2, n: 3 }],
  ])('%s follows from the files in it', async (name, planned, format, rate) => {
    const [bundle, ...others] = await imported(join(ROOT, 'fixtures/foreign', name), planned);
    expect(others).toEqual([]);
    expect(bundle?.run).toMatchObject({ evidenceClass: 'imported', imported: { format } });
    expect(bundle?.results.arms[0]?.successRate).toMatchObject(rate);
    expect(await verifyBundle(bundle?.dir ?? '')).toEqual([]);
  });

  it('of a large one only the records are kept, each in its line, and they give the same', async () => {
    const log = join(folder, 'stderr.log');
    const out = openSync(log, 'w');
    writeSync(out, 'INFO:root:Task suite: libero_10\n');
    for (let episode = 1; episode <= 40; episode += 1) {
      const noise = `\r ${episode}%|###       | 3/50 [00:01<00:02, 1.2s/it]${'x'.repeat(100)}\n`;
      writeSync(out, `INFO:root:\nTask: stack\nINFO:root:Starting episode ${episode}...\n`);
      writeSync(out, noise.repeat(4000));
      const rate = `(${((100 * Math.ceil(episode / 2)) / episode).toFixed(1)}%)`;
      writeSync(out, `INFO:root:Success: ${episode % 2 === 1 ? 'True' : 'False'}\n`);
      writeSync(out, `INFO:root:# episodes completed so far: ${episode}\n`);
      writeSync(out, `INFO:root:# successes: ${Math.ceil(episode / 2)} ${rate}\n`);
    }
    closeSync(out);
    const [bundle] = await imported(log, '1x40');
    expect(bundle?.results.arms[0]?.successRate).toMatchObject({ k: 20, n: 40 });
    expect(bundle?.run.imported?.files[0]?.kept).toBe('lines');
    expect(await verifyBundle(bundle?.dir ?? '')).toEqual([]);
  });
});
