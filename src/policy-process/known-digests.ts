import type { BigIntStats } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { readWithin } from '../files/read-within.ts';
import { putFile } from '../workspace/put-file.ts';

const SCHEMA_ID = 'rollout-bench/checkpoints/1';
const MAX_BYTES = 64 * 1024 * 1024;
/** The oldest go first. */
const MAX_KNOWN = 100_000;

const knownSchema = z.strictObject({
  schema: z.literal(SCHEMA_ID),
  files: z.array(z.tuple([z.string(), z.string().max(200), z.string().regex(/^[0-9a-f]{64}$/)])),
});

/** Digests of files that were read before, each valid as long as the file has the same size, times and inode. */
export class KnownDigests {
  readonly #files: Map<string, { readonly state: string; readonly sha256: string }>;
  #isStale = false;

  private constructor(files: readonly (readonly [string, string, string])[]) {
    this.#files = new Map(files.map(([file, state, sha256]) => [file, { state, sha256 }]));
  }

  /** A file that cannot be read is as good as none: everything is read anew. */
  static async read(file: string): Promise<KnownDigests> {
    const reading = await readWithin(path.dirname(file), [path.basename(file)], MAX_BYTES);
    if (reading.state !== 'present') return new KnownDigests([]);
    try {
      const parsed = knownSchema.safeParse(JSON.parse(reading.bytes.toString('utf8')));
      return new KnownDigests(parsed.success ? parsed.data.files : []);
    } catch {
      return new KnownDigests([]);
    }
  }

  get(file: string, stat: BigIntStats): string | null {
    const known = this.#files.get(file);
    return known?.state === stateOf(stat) ? known.sha256 : null;
  }

  set(file: string, stat: BigIntStats, sha256: string): void {
    this.#files.delete(file);
    this.#files.set(file, { state: stateOf(stat), sha256 });
    this.#isStale = true;
  }

  async write(file: string): Promise<void> {
    if (!this.#isStale) return;
    const files = [...this.#files].map(([name, { state, sha256 }]) => [name, state, sha256]);
    await putFile(file, `${JSON.stringify({ schema: SCHEMA_ID, files: files.slice(-MAX_KNOWN) })}\n`);
  }
}

/** The time of the last change of the inode cannot be set by a program, as that of its content can. */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
