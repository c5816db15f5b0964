import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Headers } from 'tar-stream';
import { EXIT, RbError } from '../errors/rb-error.ts';

/** What an archive may hold at most; an archive from outside is hostile until it is verified. */
export interface UnpackLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
}

/** 10,000 episodes have 30,000 files; a late timeout's episode.json has 12 MB, and 64 MB is what is ever parsed. */
export const UNPACK_LIMITS: UnpackLimits = {
  files: 200_000,
  fileBytes: 256 * 1024 ** 2,
  totalBytes: 8 * 1024 ** 3,
};

const MAX_PATH = 300;

/** Is this the name of a bundle's archive? */
export function isArchive(file: string): boolean {
  return /\.(?:tar\.gz|tgz)$/.test(file);
}

/**
 * Unpacks a bundle's archive into a new folder: plain files with plain names only, nothing outside the folder, nothing
 * overwritten, limits enforced on the bytes that come out and not on what the archive says.
 * @returns the bundle's folder: the archive's one top-level folder.
 * @throws RbError RB707 (exit 5) for anything else; the folder then holds a part and must be thrown away.
 */
export async function unpackBundle(
  archive: string,
  into: string,
  limits: UnpackLimits = UNPACK_LIMITS,
): Promise<string> {
  const tops = new Set<string>();
  let files = 0;
  let total = 0;
  const unpacker = extract();
  const feeding = pipeline(createReadStream(archive), createGunzip(), unpacker).then(
    () => null,
    (error: unknown) => error,
  );
  try {
    for await (const entry of unpacker) {
      files += 1;
      if (files > limits.files) throw refused(archive, `it holds more than ${limits.files} files`);
      const name = safeName(entry.header, archive);
      tops.add(name.split('/')[0] ?? '');
      const left = Math.min(limits.fileBytes, limits.totalBytes - total);
      total += await writeEntry(entry, path.join(into, name), { archive, name, left });
    }
  } catch (error) {
    if (error instanceof RbError) throw error;
    throw refused(archive, error instanceof Error ? error.message : String(error), error);
  }
  const failure = await feeding;
  if (failure !== null)
    throw refused(archive, failure instanceof Error ? failure.message : String(failure), failure);
  const [top] = tops;
  if (top === undefined || tops.size !== 1) throw refused(archive, 'it does not hold exactly one folder');
  return path.join(into, top);
}

function safeName(header: Headers, archive: string): string {
  const { name, type } = header;
  if (type !== 'file')
    throw refused(archive, `${shown(name)} is a ${type ?? 'special entry'}, not a plain file`);
  const parts = name.split('/');
  const plain = parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part));
  if (name.length > MAX_PATH || parts.length < 2 || !plain)
    throw refused(archive, `${shown(name)} is no plain path`);
  return name;
}

interface Place {
  readonly archive: string;
  readonly name: string;
  /** Bytes that may still come. */
  readonly left: number;
}

async function writeEntry(entry: Readable, file: string, { archive, name, left }: Place): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true });
  let bytes = 0;
  await pipeline(
    entry,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > left) throw refused(archive, `${shown(name)} is larger than a bundle's file may be`);
        yield chunk;
      }
    },
    createWriteStream(file, { flags: 'wx', mode: 0o644 }),
  );
  return bytes;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function refused(archive: string, reason: string, cause?: unknown): RbError {
  return new RbError(
    EXIT.verifyMismatch,
    [
      {
        code: 'RB707',
        where: path.basename(archive),
        message: `The archive is refused: ${reason.slice(0, 300)}.`,
        fix: 'Take the archive as it was uploaded.',
        severity: 'fatal',
      },
    ],
    cause === undefined ? undefined : { cause },
  );
}
