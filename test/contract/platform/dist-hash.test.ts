import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distHash, hashFolder } from '../../../src/platform/dist-hash.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollout-bench-hash-'));
  await mkdir(join(folder, 'chunks'));
  await writeFile(join(folder, 'index.js'), 'main');
  await writeFile(join(folder, 'chunks', 'a.js'), 'chunk');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('hash of the distributed program', () => {
  it('is stable, and changes with a content and with a name', async () => {
    const first = await hashFolder(folder);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashFolder(folder)).toBe(first);

    await rename(join(folder, 'chunks', 'a.js'), join(folder, 'chunks', 'b.js'));
    const renamed = await hashFolder(folder);
    await writeFile(join(folder, 'index.js'), 'Main');
    expect(new Set([first, renamed, await hashFolder(folder)]).size).toBe(3);
  });

  it('is unknown when the program runs from its sources', async () => {
    expect(await distHash()).toBeNull();
  });
});
