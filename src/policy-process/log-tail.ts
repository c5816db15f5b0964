import { StringDecoder } from 'node:string_decoder';

const KEPT_BYTES = 16 * 1024;
const SHOWN_LINES = 10;
const SHOWN_CHARACTERS = 200;

/** The newest output of a process, for its last lines. Keeps a fixed number of bytes, however much comes. */
export class LogTail {
  #kept = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const whole = chunk.length >= KEPT_BYTES ? chunk : Buffer.concat([this.#kept, chunk]);
    // A copy: a part of the chunk would keep all of it.
    this.#kept = Buffer.from(whole.subarray(Math.max(0, whole.length - KEPT_BYTES)));
  }

  /** The last lines that hold something, oldest first; what is masked by `mask` is masked before it is cut. */
  lastLines(mask: (text: string) => string, most = SHOWN_LINES): readonly string[] {
    return mask(new StringDecoder('utf8').write(this.#kept))
      .split(/\r\n|\r|\n/)
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-most)
      .map((line) => (line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line));
  }
}
