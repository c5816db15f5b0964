import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** Of a file; an older one of this size is kept beside it. */
const FILE_BYTES = 8 * 1024 * 1024;
/** What comes faster in the long run is left out: taking secrets out of 2 MB takes a CPU a second. */
const BYTES_PER_S = 32 * 1024;
const BURST_BYTES = 1024 * 1024;
/** A longer line is cut, lest a process without line breaks fill our memory. */
const LINE_CHARACTERS = 16 * 1024;

const APPEND_PLAIN =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface LogFileOptions {
  /** Absolute; the folder is there. */
  readonly file: string;
  /** Takes secrets out of a text of whole lines. */
  readonly mask: (text: string) => string;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * The output of a policy on the host: at most two files of 8 MiB, readable by this user alone, without the secrets that
 * are known. A disk that is full costs the log and nothing else.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #decoder = new StringDecoder('utf8');
  #handle: number | null;
  #written = 0;
  #line = '';
  #budget = BURST_BYTES;
  #filledAt: number;
  #leftOut = 0;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#filledAt = options.now();
    this.#handle = opened(options.file);
    this.#written = this.#handle === null ? 0 : fstatSync(this.#handle).size;
  }

  push(chunk: Buffer): void {
    if (chunk.length > this.#refilled()) {
      this.#leftOut += chunk.length;
      return;
    }
    this.#budget -= chunk.length;
    this.#sayLeftOut();
    const lines = `${this.#line}${this.#decoder.write(chunk)}`.split('\n');
    this.#line = (lines.pop() ?? '').slice(-LINE_CHARACTERS);
    if (lines.length > 0) this.#write(`${lines.join('\n')}\n`);
  }

  /** A line of ours. */
  note(text: string): void {
    this.#endLine();
    this.#write(`== ${new Date(this.#options.now()).toISOString()} ${text}\n`);
  }

  close(): void {
    this.#endLine();
    this.#sayLeftOut();
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }

  #refilled(): number {
    const now = this.#options.now();
    const earned = (Math.max(0, now - this.#filledAt) / 1000) * BYTES_PER_S;
    this.#filledAt = now;
    this.#budget = Math.min(BURST_BYTES, this.#budget + earned);
    return this.#budget;
  }

  #endLine(): void {
    if (this.#line !== '') this.#write(`${this.#line}\n`);
    this.#line = '';
  }

  #sayLeftOut(): void {
    if (this.#leftOut === 0) return;
    const bytes = this.#leftOut;
    this.#leftOut = 0;
    this.note(`${bytes} bytes of output left out here: they came faster than they could be kept`);
  }

  #write(text: string): void {
    if (this.#handle === null) return;
    try {
      if (this.#written > FILE_BYTES) this.#rotate();
      this.#written += writeSync(this.#handle, this.#options.mask(text));
    } catch {
      // A full disk: the policy goes on, and its last lines are in memory.
    }
  }

  #rotate(): void {
    const { file } = this.#options;
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
    renameSync(file, `${file}.1`);
    this.#handle = opened(file);
    this.#written = 0;
  }
}

/** Never through a link: the folder may hold what a policy put there. */
function opened(file: string): number | null {
  try {
    return openSync(file, APPEND_PLAIN, 0o600);
  } catch {
    return null;
  }
}
