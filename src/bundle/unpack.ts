import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract, type Headers } from 'tar-stream';
import { errorOf, RbError } from '../errors/rb-error.ts';
import { type Breathe, breather } from '../platform/breathe.ts';
import { MAX_DOCUMENT_BYTES } from './documents.ts';
import { listedFiles } from './manifest-ahead.ts';
import { TarGuard, UNPACK_LIMITS, type UnpackLimits } from './tar-guard.ts';

const MAX_PATH = 300;
/** At the top of a bundle: plan, run, results, manifest and their like. */
const DOCUMENT = /^[^/]+\.json$/;

/** Is this the name of a bundle's archive? */
export function isArchive(file: string): boolean {
  return /\.(?:tar\.gz|tgz)$/.test(file);
}

interface UnpackOptions {
  readonly limits?: UnpackLimits;
  /** Stops the work within a second. */
  readonly signal?: AbortSignal;
}

/**
 * Unpacks a bundle's archive into a new folder: plain files with plain names only, nothing outside the folder, nothing
 * overwritten, limits enforced on the bytes that come out and not on what the archive says. It holds what its manifest
 * lists and nothing else.
 * @returns the bundle's folder: the archive's one top-level folder.
 * @throws RbError RB707 (exit 5) for anything else, RB702 or RB703 for a manifest that cannot be used; the folder then
 * holds a part and must be thrown away.
 */
export async function unpackBundle(
  archive: string,
  into: string,
  { limits = UNPACK_LIMITS, signal }: UnpackOptions = {},
): Promise<string> {
  const handle = await openArchive(archive);
  try {
    const breathe = breather(signal);
    const refuse = (reason: string): RbError => refused(archive, reason);
    const listed = await listedFiles({ archive: handle, limits, refuse, breathe }).catch((error: unknown) => {
      throw asRefusal(archive, error, signal);
    });
    const guard = new TarGuard({ ...limits, files: listed.size }, (await handle.stat()).size, refuse);
    const unpacker = extract();
    const feeding = pipeline(
      handle.createReadStream({ autoClose: false, start: 0 }),
      createGunzip(),
      (chunks: AsyncIterable<Buffer>) => guarded(chunks, guard, breathe),
      unpacker,
      signal === undefined ? {} : { signal },
    ).then(
      () => null,
      (error: unknown) => error,
    );
    const top = await takeEntries(unpacker, new Unpacking(archive, into, listed)).catch((error: unknown) => {
      throw asRefusal(archive, error, signal);
    });
    const failure = await feeding;
    if (failure !== null) throw asRefusal(archive, failure, signal);
    return path.join(into, top);
  } finally {
    await handle.close();
  }
}

/** Opened first and looked at then: what the path names may change at any time. */
async function openArchive(archive: string): Promise<FileHandle> {
  const handle = await open(archive, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refused(archive, error instanceof Error ? error.message : String(error), error);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw refused(archive, 'it is not a plain file');
}

async function* guarded(
  chunks: AsyncIterable<Buffer>,
  guard: TarGuard,
  breathe: Breathe,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    guard.check(chunk);
    await breathe();
    yield chunk;
  }
}

async function takeEntries(unpacker: Extract, unpacking: Unpacking): Promise<string> {
  for await (const entry of unpacker) {
    const target = unpacking.begin(entry.header);
    try {
      for await (const chunk of entry) target.write(chunk);
    } finally {
      target.close();
    }
  }
  return unpacking.top();
}

/** An interruption stays one; everything else is the archive's fault. */
function asRefusal(archive: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof RbError) return error;
  return refused(archive, error instanceof Error ? error.message : String(error), error);
}

interface Target {
  write(chunk: Buffer): void;
  close(): void;
}

/** Where the entries of one archive go. Files are small and many, so they are written without waiting. */
class Unpacking {
  readonly #archive: string;
  readonly #into: string;
  readonly #folders = new Set<string>();
  /** Bytes of what may still come, by path inside the bundle. */
  readonly #listed: Map<string, number>;
  #top: string | null = null;

  constructor(archive: string, into: string, listed: Map<string, number>) {
    this.#archive = archive;
    this.#into = into;
    this.#listed = listed;
  }

  begin(header: Headers): Target {
    const name = safeName(header, this.#archive);
    const cut = name.indexOf('/');
    const [top, inside] = [name.slice(0, cut), name.slice(cut + 1)];
    this.#top ??= top;
    if (top !== this.#top) throw refused(this.#archive, 'it does not hold exactly one folder');
    const size = header.size ?? 0;
    this.#requireListed(inside, size);
    // No document of a bundle that is read as a whole may be larger, so a larger one is not even written.
    if (DOCUMENT.test(inside) && size > MAX_DOCUMENT_BYTES)
      throw refused(this.#archive, `its ${inside} is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    return this.#file(path.join(this.#into, name));
  }

  top(): string {
    if (this.#top === null) throw refused(this.#archive, 'it is empty');
    return this.#top;
  }

  #requireListed(inside: string, size: number): void {
    const bytes = this.#listed.get(inside);
    if (bytes !== size)
      throw refused(
        this.#archive,
        `its manifest ${bytes === undefined ? 'does not list' : `lists another size of`} ${shown(inside)}, or it comes twice`,
      );
    this.#listed.delete(inside);
  }

  #file(file: string): Target {
    const folder = path.dirname(file);
    if (!this.#folders.has(folder)) {
      mkdirSync(folder, { recursive: true });
      this.#folders.add(folder);
    }
    const descriptor = openSync(file, 'wx', 0o644);
    return {
      write: (chunk) => {
        for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
      },
      close: () => closeSync(descriptor),
    };
  }
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

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function refused(archive: string, reason: string, cause?: unknown): RbError {
  return errorOf(
    'RB707',
    {
      where: path.basename(archive),
      message: `The archive is refused: ${reason.slice(0, 300)}.`,
    },
    cause === undefined ? undefined : { cause },
  );
}
