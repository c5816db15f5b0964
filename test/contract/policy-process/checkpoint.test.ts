import { execFileSync } from 'node:child_process';
import { closeSync, openSync, utimesSync, writeSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkpointDigest } from '../../../src/policy-process/checkpoint.ts';
import { checkoutOf } from '../../../src/policy-process/git-commit.ts';
import { KnownDigests } from '../../../src/policy-process/known-digests.ts';

let folder: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-checkpoint-'));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;

describe('the digest of a checkpoint', () => {
  it('is the one that sha256sum gives, of a file and of a folder', async () => {
    const model = path.join(folder, 'model');
    await fs.mkdir(path.join(model, 'params'), { recursive: true });
    await fs.writeFile(path.join(model, 'params', 'weights.bin'), Buffer.alloc(3_000_000, 7));
    await fs.writeFile(path.join(model, 'config.json'), '{}');
    const known = await KnownDigests.read(path.join(folder, 'none.json'));
    const shell = (line: string): string =>
      execFileSync('sh', ['-c', line], { cwd: model }).toString().slice(0, 64);
    const list = 'find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum';
    expect(await checkpointDigest(model, known, signal)).toBe(`sha256:${shell(list)}`);
    const file = path.join(model, 'params', 'weights.bin');
    expect(await checkpointDigest(file, known, signal)).toBe(
      `sha256:${shell('sha256sum params/weights.bin')}`,
    );
  });

  it('is computed again only when a file changed', async () => {
    const file = path.join(folder, 'weights.bin');
    const cache = path.join(folder, 'cache.json');
    await fs.writeFile(file, 'one');
    const known = await KnownDigests.read(cache);
    const first = await checkpointDigest(file, known, signal);
    await known.write(cache);
    const again = await KnownDigests.read(cache);
    expect(again.get(await fs.realpath(file), await fs.stat(file, { bigint: true }))).toBe(first.slice(7));
    const { atime, mtime } = await fs.stat(file);
    await fs.writeFile(file, 'two');
    // A program can put this time back, and not that of the inode.
    await fs.utimes(file, atime, mtime);
    expect(await checkpointDigest(file, again, signal)).not.toBe(first);
  });

  it('is refused of a file that changes while it is read, whatever its times say afterwards', async () => {
    const file = path.join(folder, 'weights.bin');
    await fs.writeFile(file, Buffer.alloc(600_000, 1));
    const { atime, mtime } = await fs.stat(file);
    let pieces = 0;
    const change = (): void => {
      pieces += 1;
      if (pieces > 1) return;
      const handle = openSync(file, 'r+');
      writeSync(handle, 'changed', 0);
      closeSync(handle);
      utimesSync(file, atime, mtime);
    };
    const known = await KnownDigests.read(path.join(folder, 'none.json'));
    await expect(checkpointDigest(file, known, signal, change)).rejects.toThrow('changes while it is read');
    expect(pieces).toBe(3);
  });

  it('is refused where nothing can be read', async () => {
    const known = await KnownDigests.read(path.join(folder, 'none.json'));
    for (const where of [path.join(folder, 'missing'), folder, '/dev/zero'])
      await expect(checkpointDigest(where, known, signal)).rejects.toMatchObject({
        problems: [{ code: 'RB946' }],
      });
  });
});

describe('the commit of a folder', () => {
  it('is what git says, with changes told; of no repository it is unknown', async () => {
    expect(await checkoutOf(folder, process.env)).toBeNull();
    const git = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder }).toString().trim();
    git('init', '--quiet');
    await fs.writeFile(path.join(folder, 'serve.py'), 'print()');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', 'one');
    const commit = git('rev-parse', 'HEAD');
    expect(await checkoutOf(folder, process.env)).toEqual({ commit, hasChanges: false });
    await fs.writeFile(path.join(folder, 'serve.py'), 'print(1)');
    expect(await checkoutOf(folder, process.env)).toEqual({ commit, hasChanges: true });
  });
});
