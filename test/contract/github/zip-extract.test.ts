import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ZipLimits } from '../../../src/github/zip-directory.ts';
import { extractZip } from '../../../src/github/zip-extract.ts';
import { type ZipFile, zipOf } from './loopback/zip-of.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LIMITS: ZipLimits = { entries: 10, entryBytes: 1_000_000, totalBytes: 2_000_000 };
const into = () => join(folder, 'out');

function extract(archive: Buffer, limits: ZipLimits = LIMITS): Promise<string[]> {
  const path = join(folder, 'a.zip');
  writeFileSync(path, archive);
  return extractZip(path, into(), limits);
}
const file = (name: string, changes: Partial<ZipFile> = {}): ZipFile => ({
  name,
  content: 'text',
  ...changes,
});

test('files and folders of an ordinary archive', async () => {
  const names = await extract(
    zipOf([
      file('a.txt'),
      { name: 'd/', content: '', mode: 0o040755, method: 0, stored: Buffer.alloc(0) },
      file('d/ü.txt', { content: 'ü' }),
    ]),
  );
  expect(names).toEqual(['a.txt', 'd/ü.txt']);
  expect(readFileSync(join(into(), 'd/ü.txt'), 'utf8')).toBe('ü');
  expect(statSync(join(into(), 'a.txt')).mode & 0o777).toBe(0o600);
});

test('an archive of another program, with data descriptors', async () => {
  writeFileSync(join(folder, 'x.txt'), 'x'.repeat(100_000));
  const script =
    'import zipfile,sys\nz=zipfile.ZipFile(sys.stdout.buffer,"w",zipfile.ZIP_DEFLATED)\nz.write("x.txt")\nz.writestr("e/empty","")\nz.close()';
  const archive = execFileSync('python3', ['-c', script], { cwd: folder });
  expect(await extract(archive)).toEqual(['x.txt', 'e/empty']);
  expect(readFileSync(join(into(), 'x.txt'), 'utf8')).toBe('x'.repeat(100_000));
});

const zeros = Buffer.alloc(5_000_000);
test.each<[string, ZipFile[], RegExp]>([
  ['a climbing path', [file('../evil.txt')], /plain relative path/],
  ['a climbing path inside', [file('a/../../evil.txt')], /plain relative path/],
  ['an absolute path', [file('/etc/evil')], /plain relative path/],
  ['a Windows path', [file('c:\\evil')], /plain relative path/],
  ['a backslash', [file('a\\..\\evil')], /plain relative path/],
  ['a line break in a name', [file('a\nb')], /plain relative path/],
  ['a symbolic link', [file('link', { mode: 0o120777, content: '/etc/passwd' })], /link or a special file/],
  ['a device', [file('dev', { mode: 0o060644 })], /link or a special file/],
  ['a folder that is a link', [{ name: 'd/', content: '', mode: 0o120777 }], /link or a special file/],
  ['a name twice', [file('a'), file('a')], /there twice/],
  ['a name twice but for case', [file('a/B'), file('A/b')], /there twice/],
  ['a file where a folder is needed', [file('a'), file('a/b')], /there twice/],
  ['too many entries', Array.from({ length: 11 }, (_, n) => file(`f${n}`)), /more than 10 entries/],
  [
    'an entry that declares too much',
    [file('big', { declaredBytes: 4_000_000_000 })],
    /larger than 1000000 bytes/,
  ],
  [
    'entries that declare too much together',
    [1, 2, 3].map((n) => file(`f${n}`, { declaredBytes: 900_000 })),
    /more than 2000000 bytes/,
  ],
  [
    'a bomb that declares little',
    [file('bomb', { content: zeros, declaredBytes: 10 })],
    /larger than it says/,
  ],
  ['less than declared', [file('short', { declaredBytes: 400 })], /size and checksum/],
  ['a wrong checksum', [file('wrong', { declaredCrc: 1 })], /size and checksum/],
  ['encryption', [file('secret', { flags: 1 })], /encrypted/],
  ['an unknown compression', [file('lzma', { method: 14 })], /unknown compression/],
  ['damaged data', [file('damaged', { stored: Buffer.from('no deflate data') })], /damaged/],
])('%s is refused', async (_name, files, message) => {
  await expect(extract(zipOf(files))).rejects.toThrow(message);
  expect(existsSync(join(folder, 'evil.txt'))).toBe(false);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('<html>'.repeat(100))],
  [
    'the first half',
    zipOf([
      file('a.txt', { content: 'x'.repeat(1000), method: 0, stored: Buffer.from('x'.repeat(1000)) }),
    ]).subarray(0, 500),
  ],
])('%s instead of an archive is refused', async (_name, archive) => {
  await expect(extract(archive)).rejects.toThrow(/RB823 a\.zip/);
});

test('never writes into a folder that is there already', async () => {
  await extract(zipOf([file('a.txt')]));
  await expect(extract(zipOf([file('b.txt')]))).rejects.toThrow(/EEXIST/);
});
