import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { type Problem, problemOf } from '../../errors/rb-error.ts';
import { replaceFile } from '../../files/atomic-file.ts';
import { isTaken } from '../../files/is-there.ts';
import type { SetupFile } from '../../setup/files.ts';

/** What lies where the files of a gate go. */
interface Found {
  /** Files that are there, by their names below the repository. */
  readonly there: readonly string[];
  /** Links on the way, which nothing is written through (RB997). */
  readonly problems: readonly Problem[];
}

/** Looks before anything is asked of a server or written; a file that cannot be looked at is told when it is written. */
export async function lookAt(repository: string, names: readonly string[]): Promise<Found> {
  const folders = new Set(names.flatMap((name) => foldersOf(name)));
  const problems: Problem[] = [];
  for (const folder of folders)
    if (await isLink(path.join(repository, folder))) problems.push(linked(repository, folder));
  const there: string[] = [];
  for (const name of names) if (await isTaken(path.join(repository, name))) there.push(name);
  return { there, problems };
}

/** `a/b/c.yml` → `a`, `a/b`. */
function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function isLink(place: string): Promise<boolean> {
  return (await statsOf(place))?.isSymbolicLink() === true;
}

async function statsOf(place: string): Promise<Awaited<ReturnType<typeof fs.lstat>> | null> {
  try {
    return await fs.lstat(place);
  } catch (error) {
    if (errorCode(error) !== null) return null;
    throw error;
  }
}

function linked(repository: string, folder: string): Problem {
  return problemOf('RB997', {
    where: path.join(repository, folder),
    message: 'it is a link, and setup follows none.',
    fix: 'Put a folder there, or give the real one with --repository.',
  });
}

/**
 * Writes all files, each whole, or none: what was there before is put back when one of them fails.
 * @returns takes everything back, for a later step that fails
 * @throws RbError RB213, RB215 or RB219 of the file that could not be written
 */
export async function writeFiles(
  repository: string,
  files: readonly SetupFile[],
): Promise<() => Promise<void>> {
  const undone: (() => Promise<unknown>)[] = [];
  const undo = async (): Promise<void> => {
    for (const step of undone.reverse()) await step();
  };
  try {
    for (const { name, content } of files) {
      const file = path.join(repository, name);
      await fs.mkdir(path.dirname(file), { recursive: true });
      const before = (await statsOf(file))?.isFile() === true ? await fs.readFile(file) : null;
      await replaceFile(file, content, { createMode: 0o644 });
      undone.push(() => (before === null ? fs.rm(file, { force: true }) : replaceFile(file, before)));
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
}
