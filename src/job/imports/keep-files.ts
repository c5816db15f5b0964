import { closeSync, constants, copyFileSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import { hashFile } from '../../files/hash-file.ts';
import type { GivenSet } from '../../import/given-files.ts';
import type { Importer, ImportSource } from '../../import/importer/importer.ts';
import { cleanLine, rawLines } from '../../import/importer/log-lines.ts';
import { MAX_DOCUMENT_BYTES, unreadableSource } from '../../import/importer/read-source.ts';
import { IMPORT_FOLDER, NAMES_FILE } from '../../import/read-imported.ts';
import type { ImportedFile } from '../../model/imported-facts.ts';

/** Of a log beyond this only the lines that are read are kept. */
const WHOLE_LOG_BYTES = 16 * 1024 ** 2;
/** No log is larger; one of a day of evaluations has some megabytes. */
const MAX_LOG_BYTES = 8 * 1024 ** 3;

export interface Kept {
  readonly files: readonly ImportedFile[];
  readonly sources: readonly ImportSource[];
  /** Files that were given twice with the same content, by name; each counts once. */
  readonly repeated: readonly string[];
}

/**
 * Copies the files of an import into a new folder of a bundle, each once. From here on only the copies are read, so that
 * what is counted is what is sealed.
 * @throws RbError RB901 for a file that is too large, or is no plain file any more.
 */
export function keepFiles({ importer, sources, names }: GivenSet, bundleDir: string): Kept {
  const folder = path.join(bundleDir, IMPORT_FOLDER);
  mkdirSync(folder, { recursive: true });
  const files: ImportedFile[] = [];
  const copies: ImportSource[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const source of sources) {
    const file = keepOne(importer, source, { folder, number: files.length + 1, seen });
    if (file === null) {
      repeated.push(source.name);
      continue;
    }
    files.push(file);
    copies.push({ name: source.name, file: path.join(folder, file.stored), bytes: file.bytes });
  }
  if (names.length > 0)
    writeFileSync(path.join(folder, NAMES_FILE), names.map((name) => `${name}\n`).join(''), { flag: 'wx' });
  return { files, sources: copies, repeated };
}

interface Place {
  readonly folder: string;
  readonly number: number;
  /** Hashes of what was kept. */
  readonly seen: Set<string>;
}

function keepOne(
  importer: Importer,
  source: ImportSource,
  { folder, number, seen }: Place,
): ImportedFile | null {
  const { name, file } = source;
  const most = importer.keeps === undefined ? MAX_DOCUMENT_BYTES : MAX_LOG_BYTES;
  if (source.bytes > most) throw unreadableSource(name, `it is larger than ${most} bytes`);
  const { bytes, sha256 } = hashed(source);
  if (seen.has(sha256)) return null;
  seen.add(sha256);
  const stored = `${number}-${path.posix
    .basename(name)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-100)}`;
  const place = path.join(folder, stored);
  const { keeps } = importer;
  if (keeps === undefined || bytes <= WHOLE_LOG_BYTES) {
    copyFileSync(file, place, constants.COPYFILE_EXCL);
    if (hashFile(place).sha256 !== sha256) throw unreadableSource(name, 'it changed while it was read');
    return { name, stored, bytes, sha256 };
  }
  keepLines(file, place, keeps);
  return { name, stored, bytes, sha256, kept: 'lines' };
}

function hashed({ name, file }: ImportSource): { readonly bytes: number; readonly sha256: string } {
  try {
    return hashFile(file);
  } catch (error) {
    throw unreadableSource(name, error instanceof Error ? error.message : String(error));
  }
}

/** Lines that are not read are left empty, so that every other keeps its number. */
function keepLines(file: string, place: string, keeps: (line: string) => boolean): void {
  const out = openSync(place, 'wx', 0o644);
  try {
    let piece = '';
    for (const line of rawLines(file)) {
      const parts = line.split('\r').map(cleanLine).filter(keeps);
      piece += `${parts.join('\r')}\n`;
      if (piece.length < 256 * 1024) continue;
      writeSync(out, piece);
      piece = '';
    }
    writeSync(out, piece);
  } finally {
    closeSync(out);
  }
}
