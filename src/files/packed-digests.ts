import { byCodeUnit } from '../base/stable-json.ts';
import type { FileDigest } from './hash-file.ts';

const HASH_BYTES = 32;

interface NamedDigest extends FileDigest {
  readonly path: string;
}

/**
 * Sizes and hashes of many files, by name, in a third of the memory that a map of objects takes: a bundle has tens of
 * thousands of files.
 */
export class PackedDigests {
  readonly #names: string[] = [];
  readonly #sizes: number[] = [];
  #hashes = Buffer.alloc(1024 * HASH_BYTES);

  /** The last one of a name counts. */
  add(name: string, { bytes, sha256 }: FileDigest): void {
    const at = this.#names.length * HASH_BYTES;
    if (at === this.#hashes.length) this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(at)]);
    this.#hashes.write(sha256, at, HASH_BYTES, 'hex');
    this.#names.push(name);
    this.#sizes.push(bytes);
  }

  /** In order of names by code unit; each is made when it is asked for. @param without names that are left out. */
  *sorted(without: ReadonlySet<string> = new Set()): Generator<NamedDigest> {
    const order = Uint32Array.from(this.#names.keys());
    order.sort((left, right) => byCodeUnit(this.#name(left), this.#name(right)) || left - right);
    for (const [place, index] of order.entries()) {
      const [name, next] = [this.#name(index), order[place + 1]];
      if (without.has(name) || (next !== undefined && this.#name(next) === name)) continue;
      yield { path: name, bytes: this.#sizes[index] ?? 0, sha256: this.#hashAt(index) };
    }
  }

  #name(index: number): string {
    return this.#names[index] ?? '';
  }

  #hashAt(index: number): string {
    return this.#hashes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}
