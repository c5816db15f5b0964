import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { errorCode } from '../base/error-code.ts';
import { refused, type ZipEntry, type ZipLimits, zipEntries } from './zip-directory.ts';

/** A bundle of 10,000 episodes has some 40,000 files; videos are never part of it. */
export const BUNDLE_ZIP_LIMITS: ZipLimits = {
  entries: 100_000,
  entryBytes: 512_000_000,
  totalBytes: 4_000_000_000,
};
const MAX_DIRECTORY_BYTES = 64_000_000;

/**
 * Extracts an archive from somewhere else into a folder that must not exist yet. The directory is checked as a whole
 * before a byte is written; every entry must inflate to exactly the size and checksum it declares.
 * @returns the names of the files, as in the archive
 * @throws RbError RB823; the folder may then hold some files and is to be removed
 */
export async function extractZip(
  archivePath: string,
  folder: string,
  limits: ZipLimits = BUNDLE_ZIP_LIMITS,
): Promise<string[]> {
  const archive = basename(archivePath);
  const file = await open(archivePath, 'r');
  try {
    const { size } = await file.stat();
    const entries = await readDirectory(file, archive, size, limits);
    await mkdir(folder, { mode: 0o700 });
    for (const entry of entries) await extractEntry({ file, archive, folder, size }, entry);
    return entries.map(({ name }) => name);
  } finally {
    await file.close();
  }
}

async function readDirectory(
  file: FileHandle,
  archive: string,
  size: number,
  limits: ZipLimits,
): Promise<ZipEntry[]> {
  const tailBytes = Math.min(size, END_SEARCH_BYTES);
  const tail = await readAt(file, size - tailBytes, tailBytes);
  const place = directoryPlace(archive, tail, size - tailBytes);
  if (place.bytes > MAX_DIRECTORY_BYTES || place.offset + place.bytes > size)
    throw refused(archive, 'Its directory is damaged.');
  return zipEntries(archive, await readAt(file, place.offset, place.bytes), limits);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const CHUNK_BYTES = 1 << 20;

async function* chunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += CHUNK_BYTES) yield readAt(file, at, Math.min(CHUNK_BYTES, end - at));
}

interface Source {
  readonly file: FileHandle;
  readonly archive: string;
  readonly folder: string;
  readonly size: number;
}

async function extractEntry({ file, archive, folder, size }: Source, entry: ZipEntry): Promise<void> {
  const local = await readAt(file, entry.offset, 30);
  if (local.length < 30 || local.readUInt32LE(0) !== 0x04034b50)
    throw refused(archive, `${entry.name} has no header.`);
  const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const end = start + entry.compressedBytes;
  if (end > size) throw refused(archive, `${entry.name} is cut off.`);
  const path = join(folder, entry.name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // 'wx': never through something that is already there.
  const target = await open(path, 'wx', 0o600);
  try {
    const sink = new CheckedSink(target, archive, entry);
    if (entry.compressedBytes > 0) {
      const source = chunks(file, start, end);
      await (entry.method === 8 ? pipeline(source, createInflateRaw(), sink) : pipeline(source, sink));
    }
    sink.check();
  } catch (error) {
    throw errorCode(error)?.startsWith('Z_') ? refused(archive, `${entry.name} is damaged.`) : error;
  } finally {
    await target.close();
  }
}

/** Writes, counts and sums; stops at the first byte above what the directory declared. */
class CheckedSink extends Writable {
  readonly #target: FileHandle;
  readonly #archive: string;
  readonly #entry: ZipEntry;
  #bytes = 0;
  #crc = 0;

  constructor(target: FileHandle, archive: string, entry: ZipEntry) {
    super();
    this.#target = target;
    this.#archive = archive;
    this.#entry = entry;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#entry.bytes) {
      done(refused(this.#archive, `${this.#entry.name} is larger than it says.`));
      return;
    }
    this.#crc = crc32(chunk, this.#crc);
    this.#target.write(chunk).then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  }

  check(): void {
    if (this.#bytes !== this.#entry.bytes || this.#crc !== this.#entry.crc32) {
      throw refused(this.#archive, `${this.#entry.name} does not have the size and checksum it declares.`);
    }
  }
}

const U32 = 0xffffffff;
const U16 = 0xffff;

/** Where the central directory lies. */
interface DirectoryPlace {
  readonly offset: number;
  readonly bytes: number;
}

const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
/** The end record is 22 bytes and a comment of at most 65,535. */
const END_SEARCH_BYTES = 22 + 65_535 + 20 + 56;

/**
 * Finds the central directory from the last bytes of an archive.
 * @param tail the last bytes of the file
 * @param tailOffset where `tail` starts in the file
 */
function directoryPlace(archive: string, tail: Buffer, tailOffset: number): DirectoryPlace {
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue;
    const bytes = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    if (bytes !== U32 && offset !== U32 && tail.readUInt16LE(at + 10) !== U16) return { bytes, offset };
    const locator = at - 20;
    if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR64) return { bytes, offset };
    const end64 = Number(tail.readBigUInt64LE(locator + 8)) - tailOffset;
    if (end64 < 0 || end64 + 56 > tail.length || tail.readUInt32LE(end64) !== END64) break;
    return {
      bytes: Number(tail.readBigUInt64LE(end64 + 40)),
      offset: Number(tail.readBigUInt64LE(end64 + 48)),
    };
  }
  throw refused(archive, 'It is not a zip archive.');
}
