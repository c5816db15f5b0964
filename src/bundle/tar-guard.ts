/** What an archive may expand to at most; an archive from outside is hostile until it is verified. */
export interface UnpackLimits {
  readonly files: number;
  readonly fileBytes: number;
  /** Bytes that any archive may expand to, and how many more for each of its own. */
  readonly totalBytes: number;
  readonly ratio: number;
}

/**
 * 10,000 episodes have 30,000 files and expand to 300 MB; a late timeout's episode.json has 12 MB, and 64 MB is what is
 * ever parsed. Text of ours shrinks to a tenth or a fortieth, so work grows with what somebody had to send.
 */
export const UNPACK_LIMITS: UnpackLimits = {
  files: 60_000,
  fileBytes: 256 * 1024 ** 2,
  totalBytes: 1024 ** 3,
  ratio: 64,
};

/** No expansion beyond this, whatever its archive's size. */
const MAX_TOTAL = 8 * 1024 ** 3;

const BLOCK = 512;
/** The end of an archive is two empty blocks, filled up to a record. */
const MAX_TAIL = 64 * 1024;

export type Refuse = (reason: string) => Error;

/** Sees what the guard has let pass. */
export interface TarWatch {
  /** A plain file begins. */
  file(name: string, bytes: number): void;
  /** The next bytes of that file, and behind them the padding of its last block. */
  content(part: Buffer): void;
}

/**
 * Looks at the headers of a tar stream before its reader does: plain files only, with sizes in the open. A reader that
 * keeps long names, comments and extended headers in memory is never given one. Pure but for its own counters.
 */
export class TarGuard {
  readonly #limits: UnpackLimits;
  readonly #most: number;
  readonly #refuse: Refuse;
  readonly #watch: TarWatch | null;
  #header: Buffer[] = [];
  #headerBytes = 0;
  /** Of the current file, padding included. */
  #left = 0;
  #files = 0;
  #total = 0;
  #tail: number | null = null;

  /** @param archiveBytes size of the compressed file. */
  constructor(limits: UnpackLimits, archiveBytes: number, refuse: Refuse, watch: TarWatch | null = null) {
    this.#watch = watch;
    this.#limits = limits;
    this.#most = Math.min(MAX_TOTAL, limits.totalBytes + limits.ratio * archiveBytes);
    this.#refuse = refuse;
  }

  /** Throws what `refuse` makes of the first thing that is not allowed. */
  check(chunk: Buffer): void {
    this.#total += chunk.length;
    if (this.#total > this.#most)
      throw this.#refuse(`it expands to more than ${this.#most} bytes, too much for an archive of its size`);
    for (let at = 0; at < chunk.length; ) {
      if (this.#tail !== null) {
        this.#checkTail(chunk.subarray(at));
        return;
      }
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, chunk.length - at);
        this.#watch?.content(chunk.subarray(at, at + skipped));
        this.#left -= skipped;
        at += skipped;
        continue;
      }
      const part = chunk.subarray(at, at + BLOCK - this.#headerBytes);
      this.#header.push(part);
      this.#headerBytes += part.length;
      at += part.length;
      if (this.#headerBytes === BLOCK) this.#readHeader(Buffer.concat(this.#header));
    }
  }

  #readHeader(header: Buffer): void {
    this.#header = [];
    this.#headerBytes = 0;
    if (header.every((byte) => byte === 0)) {
      this.#tail = BLOCK;
      return;
    }
    this.#files += 1;
    if (this.#files > this.#limits.files)
      throw this.#refuse(`it holds more than ${this.#limits.files} files`);
    const type = header[156] ?? 0;
    if (type !== 0 && type !== 0x30)
      throw this.#refuse(`${nameIn(header)} is ${kindOf(type)}, not a plain file`);
    const digits = /^[ ]*([0-7]{1,11})[ \0]*$/.exec(header.toString('latin1', 124, 136));
    if (digits === null) throw this.#refuse(`the size of ${nameIn(header)} cannot be read`);
    const size = Number.parseInt(digits[1] ?? '', 8);
    if (size > this.#limits.fileBytes)
      throw this.#refuse(`${nameIn(header)} is larger than a bundle's file may be`);
    this.#left = Math.ceil(size / BLOCK) * BLOCK;
    this.#watch?.file(pathIn(header), size);
  }

  #checkTail(rest: Buffer): void {
    this.#tail = (this.#tail ?? 0) + rest.length;
    if (this.#tail > MAX_TAIL || rest.some((byte) => byte !== 0))
      throw this.#refuse('something follows its end');
  }
}

function nameIn(header: Buffer): string {
  const text = header.toString('latin1', 0, 100);
  const end = text.indexOf('\0');
  return JSON.stringify(end === -1 ? text : text.slice(0, end));
}

/** ustar keeps the folders of a long name apart. */
function pathIn(header: Buffer): string {
  const [name, folders] = [header.subarray(0, 100), header.subarray(345, 500)].map((field) => {
    const text = field.toString('utf8');
    return text.slice(0, text.indexOf('\0') === -1 ? undefined : text.indexOf('\0'));
  });
  return folders === '' ? `${name}` : `${folders}/${name}`;
}

function kindOf(type: number): string {
  const known: Readonly<Record<string, string>> = {
    1: 'a hard link',
    2: 'a symbolic link',
    3: 'a device',
    4: 'a device',
    5: 'a folder',
    6: 'a pipe',
    g: 'an extended header',
    x: 'an extended header',
    L: 'a long name',
    K: 'a long name',
  };
  return known[String.fromCharCode(type)] ?? 'a special entry';
}
