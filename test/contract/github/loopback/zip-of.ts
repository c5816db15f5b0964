import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly content: string | Buffer;
  /** Unix mode, 0o100644 unless told. */
  readonly mode?: number;
  /** Lies about the uncompressed size. */
  readonly declaredBytes?: number;
  readonly declaredCrc?: number;
  readonly flags?: number;
  readonly method?: number;
  /** Bytes instead of the compressed content. */
  readonly stored?: Buffer;
}

/** A zip archive with whatever its maker wants it to say, true or not. */
export function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.content);
    const stored = file.stored ?? deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(file.flags ?? 0, 2);
    common.writeUInt16LE(file.method ?? 8, 4);
    common.writeUInt32LE(file.declaredCrc ?? crc32(content), 10);
    common.writeUInt32LE(stored.length, 14);
    common.writeUInt32LE(file.declaredBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(signature(0x04034b50), common, name, stored);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    // Made by: Unix.
    directory.push(signature(0x02014b50), Buffer.from([20, 3]), common, tail, name);
    offset += 30 + name.length + stored.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listing, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
