import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Present in every built dist/ and nowhere in the sources. */
const DIST_MARK = 'licenses.txt';

/**
 * SHA-256 (hex) over names and contents of every file of dist/, the program that is running.
 * Null when the program runs from its sources: there is no distributed build to name then.
 */
export async function distHash(): Promise<string | null> {
  const folder = distFolder(dirname(fileURLToPath(import.meta.url)));
  return folder === null ? null : hashFolder(folder);
}

/** A file of the built program that is a program of its own; null when this one runs from its sources. */
export function builtProgram(name: string): URL | null {
  const folder = distFolder(dirname(fileURLToPath(import.meta.url)));
  return folder === null ? null : pathToFileURL(join(folder, name));
}

/** SHA-256 (hex) over sorted `name NUL sha256(content) LF` lines; names use `/`. */
export async function hashFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  const total = createHash('sha256');
  for (const name of names) {
    const content = createHash('sha256').update(await readFile(join(folder, name)));
    total.update(`${name}\0${content.digest('hex')}\n`);
  }
  return total.digest('hex');
}

/** This module lands in dist/ itself or in dist/chunks/, as the bundler decides. */
function distFolder(here: string): string | null {
  return [here, dirname(here)].find((folder) => existsSync(join(folder, DIST_MARK))) ?? null;
}
