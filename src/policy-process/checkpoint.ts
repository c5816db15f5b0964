import type { BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { sha256Of } from '../base/sha256.ts';
import { byCodeUnit } from '../base/stable-json.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { hashBuffer, hashInTurns } from '../files/hash-file.ts';
import { systemReason } from '../files/problems.ts';
import { breather } from '../platform/breathe.ts';
import { type KnownDigests, stateOf } from './known-digests.ts';

/** A checkpoint has tens of files, sharded ones thousands. */
const MAX_FILES = 100_000;
const MAX_DEPTH = 32;

/**
 * The digest of a checkpoint, `sha256:<64 hex>`: of a file that of its bytes; of a folder that of one line for each file
 * below it, `<sha256>  <path>`, sorted by path in bytes, as `sha256sum` prints them. Files are read in pieces, and one of
 * the same size, times and inode as before is not read again. A link to a file counts as that file.
 * @param onBytes told of every piece that is read, in bytes: tens of gigabytes take minutes.
 * @throws RbError RB946 (exit 3) when a part cannot be read or is no plain file; the signal's reason when that aborts.
 */
export async function checkpointDigest(
  root: string,
  known: KnownDigests,
  signal: AbortSignal,
  onBytes: (length: number) => void = () => {},
): Promise<string> {
  const reading = { known, signal, onBytes };
  const stat = await statOf(root);
  if (!stat.isDirectory()) return `sha256:${await fileDigest(root, reading)}`;
  const lines: string[] = [];
  for (const name of await filesBelow(root))
    lines.push(`${await fileDigest(path.join(root, name), reading)}  ${name}\n`);
  if (lines.length === 0) throw unusable(root, 'the folder holds no file');
  return `sha256:${sha256Of(lines.join(''))}`;
}

interface Reading {
  readonly known: KnownDigests;
  readonly signal: AbortSignal;
  readonly onBytes: (length: number) => void;
}

async function fileDigest(file: string, { known, signal, onBytes }: Reading): Promise<string> {
  const stat = await statOf(file);
  if (!stat.isFile()) throw unusable(file, 'it is no plain file');
  const real = await fs.realpath(file);
  const before = known.get(real, stat);
  if (before !== null) return before;
  const digest = await hashInTurns(real, Number(stat.size), {
    breathe: breather(signal),
    buffer: hashBuffer(),
    onBytes,
  });
  if (digest?.sha256 == null) throw unusable(file, 'it cannot be read, or changes while it is read');
  const after = await statOf(file);
  if (stateOf(after) !== stateOf(stat)) throw unusable(file, 'it changes while it is read');
  known.set(real, stat, digest.sha256);
  return digest.sha256;
}

/** Names relative to the folder, sorted. Its folders are followed, links to folders are not. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (below: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw unusable(path.join(root, below), 'its folders are nested too deep');
    for (const entry of await entriesOf(path.join(root, below))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await visit(name, depth + 1);
      else found.push(name);
      if (found.length > MAX_FILES) throw unusable(root, `it holds more than ${MAX_FILES} files`);
    }
  };
  await visit('', 0);
  return found.sort(byCodeUnit);
}

async function entriesOf(folder: string): Promise<import('node:fs').Dirent[]> {
  try {
    return await fs.readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw unusable(folder, systemReason(error));
  }
}

async function statOf(file: string): Promise<BigIntStats> {
  try {
    return await fs.stat(file, { bigint: true });
  } catch (error) {
    throw unusable(file, systemReason(error));
  }
}

function unusable(where: string, why: string): RbError {
  return errorOf('RB946', {
    where: 'input checkpoint',
    message: `no digest can be computed: ${why}.`,
    value: where,
    fix: 'Name the file or folder on this machine that the policy loads, or leave checkpoint out.',
  });
}
