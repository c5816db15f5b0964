import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packBundle } from '../../../src/bundle/tar.ts';
import { unpackBundle } from '../../../src/bundle/unpack.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rb-unpack-'));
  mkdirSync(join(root, 'into'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** An archive as a stranger may write it. */
async function archiveOf(entries: readonly (readonly [Headers, string])[]): Promise<string> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header, content);
  tar.finalize();
  const file = join(root, 'hostile.tar.gz');
  await pipeline(tar, createGzip(), createWriteStream(file));
  return file;
}

/** Lists plan.json with so many bytes, and more files. */
const manifestOf = (bytes: number, more: readonly object[] = []) =>
  JSON.stringify({
    schema: 'rollout-bench/manifest/1',
    runId: 'r1',
    attempt: 1,
    planDigest: '0'.repeat(64),
    tool: { version: '0.1.0', distHash: null },
    kind: 'sealed',
    redactedFrom: null,
    files: [{ path: 'plan.json', bytes, sha256: '0'.repeat(64) }, ...more],
    leftOut: [],
  });

const unpack = (archive: string) => unpackBundle(archive, join(root, 'into'));

describe('unpackBundle', () => {
  it('gives back what packBundle packed', async () => {
    const bundle = join(root, 'bundle');
    mkdirSync(join(bundle, 'raw', 'rb-1'), { recursive: true });
    writeFileSync(join(bundle, 'plan.json'), '{}\n');
    const episode = { path: 'raw/rb-1/episode.json', bytes: 3_000_000, sha256: '0'.repeat(64) };
    writeFileSync(join(bundle, 'manifest.json'), manifestOf(3, [episode]));
    writeFileSync(join(bundle, 'raw', 'rb-1', 'episode.json'), 'x'.repeat(3_000_000));
    await packBundle(bundle, 'gh1-job', join(root, 'ok.tar.gz'));
    const folder = await unpack(join(root, 'ok.tar.gz'));
    expect(folder).toBe(join(root, 'into', 'gh1-job'));
    expect(readFileSync(join(folder, 'plan.json'), 'utf8')).toBe('{}\n');
    expect(readFileSync(join(folder, 'raw/rb-1/episode.json'), 'utf8')).toHaveLength(3_000_000);
  });

  it.each([
    ['a climbing path', { name: 'b/../../evil' }],
    ['an absolute path', { name: '/tmp/evil' }],
    ['a path with a backslash', { name: 'b/..\\evil' }],
    ['a hidden file', { name: 'b/.npmrc' }],
    ['a symbolic link', { name: 'b/link', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'b/link', type: 'link', linkname: 'b/plan.json' }],
    ['a device', { name: 'b/null', type: 'character-device' }],
    ['a file beside the folder', { name: 'plan.json' }],
  ] as const)('refuses %s', async (_what, header) => {
    const archive = await archiveOf([
      [{ name: 'b/manifest.json' }, manifestOf(2)],
      [{ name: 'b/plan.json' }, '{}'],
      [{ ...header }, ''],
    ]);
    await expect(unpack(archive)).rejects.toMatchObject({ problems: [{ code: 'RB707' }] });
    expect(existsSync(join(root, 'evil'))).toBe(false);
  });

  it('refuses the same file twice', async () => {
    const archive = await archiveOf([
      [{ name: 'b/plan.json' }, '{}'],
      [{ name: 'b/plan.json' }, '{"other": 1}'],
    ]);
    await expect(unpack(archive)).rejects.toMatchObject({ problems: [{ code: 'RB707' }] });
  });

  it('counts the bytes that come out, not those the archive promises', async () => {
    const archive = await archiveOf([[{ name: 'b/zeros' }, '0'.repeat(2_000_000)]]);
    const limits = { files: 10, fileBytes: 1_000_000, totalBytes: 1_500_000, ratio: 1 };
    await expect(unpackBundle(archive, join(root, 'into'), { limits })).rejects.toThrow(/larger/);
  });

  it('takes from an archive that begins with its manifest what that lists, once and in its size', async () => {
    const archive = (bytes: number, more: readonly (readonly [Headers, string])[] = []) =>
      archiveOf([[{ name: 'b/manifest.json' }, manifestOf(bytes)], [{ name: 'b/plan.json' }, '{}'], ...more]);
    expect(await unpack(await archive(2))).toBe(join(root, 'into', 'b'));
    const odd: readonly (readonly [number, readonly (readonly [Headers, string])[]])[] = [
      [3, []],
      [2, [[{ name: 'b/plan.json' }, '{}']]],
      [2, [[{ name: 'b/more' }, '']]],
    ];
    for (const [bytes, more] of odd) {
      rmSync(join(root, 'into'), { recursive: true, force: true });
      await expect(unpack(await archive(bytes, more))).rejects.toThrow(/RB707.*(manifest|files)/);
    }
  });

  it.each([
    ['a long name', { name: `b/${'x'.repeat(300)}` }],
    ['an extended header', { name: 'b/x', pax: { comment: 'x' } }],
  ] as const)('hands no reader %s to keep', async (_what, header) => {
    const archive = await archiveOf([[{ ...header }, '{}']]);
    await expect(unpack(archive)).rejects.toThrow(/RB707.*(long name|extended header)/);
  });

  it.each([
    ['that has none', []],
    ['at its end', [[{ name: 'b/manifest.json' }, manifestOf(2)]]],
  ] as const)('writes nothing that no manifest lists, of an archive %s', async (_where, last) => {
    const many = Array.from({ length: 50 }, (_, at): [Headers, string] => [{ name: `b/raw/x${at}/f` }, '']);
    const archive = await archiveOf([
      ...many,
      ...last.map(([header, text]): [Headers, string] => [{ ...header }, text]),
    ]);
    await expect(unpack(archive)).rejects.toThrow(/RB707.*(holds no manifest|more than 2 files)/);
    expect(readdirSync(join(root, 'into'))).toEqual([]);
  });

  it('takes an archive in the order of its paths, with the same manifest', async () => {
    const archive = await archiveOf([
      [{ name: 'b/episodes.csv' }, 'x'],
      [
        { name: 'b/manifest.json' },
        manifestOf(2, [{ path: 'episodes.csv', bytes: 1, sha256: '0'.repeat(64) }]),
      ],
      [{ name: 'b/plan.json' }, '{}'],
    ]);
    const folder = await unpack(archive);
    expect(readFileSync(join(folder, 'episodes.csv'), 'utf8')).toBe('x');
  });

  it('stops at a signal, and says that it was one', async () => {
    const archive = await archiveOf([[{ name: 'b/plan.json' }, '{}']]);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(unpackBundle(archive, join(root, 'into'), { signal })).rejects.toThrow('stopped');
  });

  it('refuses a cut archive and something that is none', async () => {
    const archive = await archiveOf([[{ name: 'b/plan.json' }, '{}'.repeat(5000)]]);
    const whole = readFileSync(archive);
    writeFileSync(join(root, 'cut.tar.gz'), whole.subarray(0, whole.length - 20));
    writeFileSync(join(root, 'none.tar.gz'), 'not an archive');
    await expect(unpack(join(root, 'cut.tar.gz'))).rejects.toMatchObject({ problems: [{ code: 'RB707' }] });
    await expect(unpack(join(root, 'none.tar.gz'))).rejects.toMatchObject({ problems: [{ code: 'RB707' }] });
  });
});
