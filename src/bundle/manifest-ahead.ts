import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Breathe } from '../platform/breathe.ts';
import { MAX_DOCUMENT_BYTES, manifestOf } from './documents.ts';
import { BUNDLE_FILES } from './layout.ts';
import { type Refuse, TarGuard, type TarWatch, type UnpackLimits } from './tar-guard.ts';

interface AheadRequest {
  readonly archive: FileHandle;
  readonly limits: UnpackLimits;
  readonly refuse: Refuse;
  readonly breathe: Breathe;
}

/**
 * Sizes of everything that belongs to an archive, by path inside its folder, as its manifest says. The manifest is looked
 * for before anything is unpacked, and comes first in archives of ours: to write what nobody lists, file by file, would
 * cost far more than to read over it.
 * @throws what `refuse` makes of an archive without one, RB702 or RB703 (RbError) for one that cannot be used.
 */
export async function listedFiles(request: AheadRequest): Promise<Map<string, number>> {
  const bytes = await manifestAhead(request);
  const { manifest } = manifestOf(bytes);
  const listed = new Map(manifest.files.map((file) => [file.path, file.bytes]));
  return listed.set(BUNDLE_FILES.manifest, bytes.length);
}

async function manifestAhead({ archive, limits, refuse, breathe }: AheadRequest): Promise<Buffer> {
  const watch = new ManifestWatch(refuse);
  const guard = new TarGuard(limits, (await archive.stat()).size, refuse, watch);
  const unzipped = createGunzip();
  // What goes wrong before the end of what is looked at comes out of `unzipped` as well.
  const fed = pipeline(bytesOf(archive), unzipped).catch(() => undefined);
  try {
    for await (const chunk of unzipped) {
      guard.check(chunk);
      await breathe();
      if (watch.manifest !== null) return watch.manifest;
    }
  } finally {
    unzipped.destroy();
    await fed;
  }
  throw refuse(`it holds no ${BUNDLE_FILES.manifest}`);
}

const PIECE_BYTES = 64 * 1024;

/** A file from its beginning, wherever its handle stands; the handle stays open. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Keeps the first manifest at the top of a bundle's folder. */
class ManifestWatch implements TarWatch {
  readonly #refuse: Refuse;
  #parts: Buffer[] = [];
  /** Bytes of it that are still to come; null while it has not begun. */
  #left: number | null = null;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  /** Null until the whole of it has come. */
  get manifest(): Buffer | null {
    return this.#left === 0 ? Buffer.concat(this.#parts) : null;
  }

  file(name: string, bytes: number): void {
    if (this.#left !== null || !/^[^/]+\/manifest\.json$/.test(name)) return;
    if (bytes > MAX_DOCUMENT_BYTES)
      throw this.#refuse(`its ${BUNDLE_FILES.manifest} is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    this.#left = bytes;
  }

  content(part: Buffer): void {
    if (this.#left === null || this.#left === 0) return;
    // Copied, since the chunk that it is cut out of may be large.
    const own = Buffer.from(part.subarray(0, this.#left));
    this.#left -= own.length;
    this.#parts.push(own);
  }
}
