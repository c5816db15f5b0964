import { once } from 'node:events';
import { closeSync, createWriteStream, fstatSync, openSync, readSync } from 'node:fs';
import * as path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errorOf } from '../errors/rb-error.ts';
import { hashFile } from '../files/hash-file.ts';
import { READ_PLAIN } from '../files/read-within.ts';
import { walkFolder } from '../files/walk.ts';
import { BUNDLE_FILES } from './layout.ts';

const BLOCK = 512;
const CHUNK_BYTES = 1024 * 1024;
/** ustar keeps 100 bytes of name and 155 of the folders before it. */
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/**
 * Packs a folder as `<name>/…` into a gzip-compressed ustar file: plain files only, the manifest first, so that a reader
 * knows what may follow, then in path order, without owners or times, so that equal folders give equal bytes under one version of zlib. Returns size and SHA-256 of the archive.
 * @throws RbError RB705 for a path that ustar cannot hold.
 */
export async function packBundle(
  bundleDir: string,
  name: string,
  archive: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { files: found } = walkFolder(bundleDir);
  const isManifest = (file: string): boolean => file === BUNDLE_FILES.manifest;
  const files = [...found.filter(isManifest), ...found.filter((file) => !isManifest(file))];
  // No name and no time in the gzip header: zlib writes neither unless asked.
  const zipped = createGzip({ level: 6 });
  const out = createWriteStream(archive, { flags: 'wx', mode: 0o644 });
  await once(out, 'open');
  await pipeline(Readable.from(blocks(bundleDir, name, files)), zipped, out);
  return hashFile(archive);
}

function* blocks(bundleDir: string, name: string, files: readonly string[]): Generator<Buffer> {
  for (const file of files) yield* fileBlocks(path.join(bundleDir, file), `${name}/${file}`);
  yield Buffer.alloc(2 * BLOCK);
}

function* fileBlocks(file: string, name: string): Generator<Buffer> {
  const handle = openSync(file, READ_PLAIN);
  try {
    const { size } = fstatSync(handle);
    yield header(name, size);
    let left = size;
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(left, CHUNK_BYTES));
      const length = readSync(handle, chunk, 0, chunk.length, null);
      if (length === 0) throw new Error(`${name} became shorter while it was packed`);
      left -= length;
      yield chunk.subarray(0, length);
    }
    const rest = size % BLOCK;
    if (rest > 0) yield Buffer.alloc(BLOCK - rest);
  } finally {
    closeSync(handle);
  }
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { prefix, base } = splitName(name);
  block.write(base, 0, 'utf8');
  block.write(octal(0o644, 8), 100, 'ascii');
  block.write(octal(0, 8), 108, 'ascii');
  block.write(octal(0, 8), 116, 'ascii');
  block.write(octal(size, 12), 124, 'ascii');
  block.write(octal(0, 12), 136, 'ascii');
  block.write('        ', 148, 'ascii');
  block.write('0', 156, 'ascii');
  block.write('ustar\u000000', 257, 'ascii');
  block.write(prefix, 345, 'utf8');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'ascii');
  return block;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\u0000`;
}

function splitName(name: string): { prefix: string; base: string } {
  if (Buffer.byteLength(name) <= NAME_BYTES) return { prefix: '', base: name };
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const prefix = name.slice(0, at);
    const base = name.slice(at + 1);
    if (Buffer.byteLength(prefix) <= PREFIX_BYTES && Buffer.byteLength(base) <= NAME_BYTES)
      return { prefix, base };
  }
  throw errorOf('RB705', {
    where: name,
    message: 'The path is too long for an archive.',
  });
}
