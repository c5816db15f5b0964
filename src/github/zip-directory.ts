import { errorOf, type RbError } from '../errors/rb-error.ts';

export interface ZipLimits {
  readonly entries: number;
  /** Uncompressed, one entry. */
  readonly entryBytes: number;
  /** Uncompressed, all entries. */
  readonly totalBytes: number;
}

/** One file of an archive as its central directory tells. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 0 | 8;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header starts. */
  readonly offset: number;
}

const CENTRAL = 0x02014b50;
const ZIP64_EXTRA = 1;
const U32 = 0xffffffff;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const UNIX = 3;

/** RB823: an archive that is damaged or hostile; nothing of it is used. */
export function refused(archive: string, message: string): RbError {
  const fix = 'Use only artifacts that this action wrote; upload the bundle again.';
  return errorOf('RB823', { where: archive, message, fix });
}

/**
 * The files of a central directory, folders left out.
 * @param directory the bytes of the central directory
 * @throws RbError RB823 on links, encryption, unknown methods, climbing or absolute or colliding names, too much data
 */
export function zipEntries(archive: string, directory: Buffer, limits: ZipLimits): ZipEntry[] {
  const entries: ZipEntry[] = [];
  const taken = new Map<string, 'file' | 'folder'>();
  let total = 0;
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === CENTRAL) {
    const { entry, next } = readEntry(archive, directory, at);
    at = next;
    if (entry === null) continue;
    total += entry.bytes;
    if (entries.length >= limits.entries)
      throw refused(archive, `It has more than ${limits.entries} entries.`);
    if (entry.bytes > limits.entryBytes)
      throw refused(archive, `${shown(entry.name)} is larger than ${limits.entryBytes} bytes.`);
    if (total > limits.totalBytes) throw refused(archive, `It holds more than ${limits.totalBytes} bytes.`);
    claim(archive, entry.name, taken);
    entries.push(entry);
  }
  if (at !== directory.length) throw refused(archive, 'Its directory is damaged.');
  return entries;
}

function readEntry(archive: string, directory: Buffer, at: number): { entry: ZipEntry | null; next: number } {
  const madeBy = directory.readUInt16LE(at + 4) >> 8;
  const flags = directory.readUInt16LE(at + 8);
  const method = directory.readUInt16LE(at + 10);
  const nameBytes = directory.readUInt16LE(at + 28);
  const extraBytes = directory.readUInt16LE(at + 30);
  const next = at + 46 + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  if (next > directory.length) throw refused(archive, 'Its directory is cut off.');
  const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
  const type = madeBy === UNIX ? (directory.readUInt32LE(at + 38) >>> 16) & FILE_TYPE : 0;
  const folder = name.endsWith('/');
  checkName(archive, folder ? name.slice(0, -1) : name);
  if (type !== 0 && type !== REGULAR && !(type === FOLDER && folder)) {
    throw refused(archive, `${shown(name)} is a link or a special file.`);
  }
  if (folder) return { entry: null, next };
  if ((flags & 1) !== 0) throw refused(archive, `${shown(name)} is encrypted.`);
  if (method !== 0 && method !== 8) throw refused(archive, `${shown(name)} has an unknown compression.`);
  const extra = directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
  const sizes = sizesOf(archive, directory.subarray(at, at + 46), extra);
  return { entry: { name, method, crc32: directory.readUInt32LE(at + 16), ...sizes }, next };
}

/** Sizes and offset, from the ZIP64 extra field where the plain ones are full. */
function sizesOf(archive: string, fixed: Buffer, extra: Buffer) {
  let bytes = fixed.readUInt32LE(24);
  let compressedBytes = fixed.readUInt32LE(20);
  let offset = fixed.readUInt32LE(42);
  const wide = zip64Values(extra);
  const take = (value: number): number => {
    if (value !== U32) return value;
    const from = wide.shift();
    if (from === undefined) throw refused(archive, 'Its sizes are missing.');
    return Number(from);
  };
  bytes = take(bytes);
  compressedBytes = take(compressedBytes);
  offset = take(offset);
  return { bytes, compressedBytes, offset };
}

function zip64Values(extra: Buffer): bigint[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === ZIP64_EXTRA) {
      const values: bigint[] = [];
      for (let from = at + 4; from + 8 <= Math.min(at + 4 + size, extra.length); from += 8) {
        values.push(extra.readBigUInt64LE(from));
      }
      return values;
    }
    at += 4 + size;
  }
  return [];
}

function checkName(archive: string, name: string): void {
  const parts = name.split('/');
  const climbs = parts.some((part) => part === '' || part === '.' || part === '..');
  const odd = /[\p{Cc}\\:*?"<>|\ufffd]/u.test(name) || name.length > 1_000 || parts.length > 30;
  if (climbs || odd) throw refused(archive, `${shown(name)} is not a plain relative path.`);
}

/** Two entries of one name, also on file systems that ignore case, or a file where another needs a folder. */
function claim(archive: string, name: string, taken: Map<string, 'file' | 'folder'>): void {
  const parts = name.normalize('NFC').toLowerCase().split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const path = parts.slice(0, depth).join('/');
    const kind = depth === parts.length ? 'file' : 'folder';
    const known = taken.get(path);
    if (known === 'file' || (known === 'folder' && kind === 'file')) {
      throw refused(archive, `${shown(name)} is there twice.`);
    }
    taken.set(path, kind);
  }
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120));
}
