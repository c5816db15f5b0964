import { refused } from './zip-directory.ts';

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
export const END_SEARCH_BYTES = 22 + 65_535 + 20 + 56;

/**
 * Finds the central directory from the last bytes of an archive.
 * @param tail the last bytes of the file
 * @param tailOffset where `tail` starts in the file
 */
export function directoryPlace(archive: string, tail: Buffer, tailOffset: number): DirectoryPlace {
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
