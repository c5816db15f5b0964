import { type Dirent, readdirSync } from 'node:fs';
import * as path from 'node:path';

export interface Walk {
  /** Paths of plain files relative to the root, with `/`, sorted by code unit. */
  readonly files: readonly string[];
  /** Everything that is neither a plain file nor a folder: links, sockets, pipes, devices. */
  readonly odd: readonly string[];
}

/** Lists a folder without following any link. Synchronous: a bundle has thousands of small files. */
export function walkFolder(root: string): Walk {
  const files: string[] = [];
  const odd: string[] = [];
  const visit = (relative: string): void => {
    for (const entry of readdirSync(path.join(root, relative), { withFileTypes: true })) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (isFolder(entry)) visit(name);
      else if (entry.isFile()) files.push(name);
      else odd.push(name);
    }
  };
  visit('');
  return { files: files.sort(byCodeUnit), odd: odd.sort(byCodeUnit) };
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.isSymbolicLink();
}

export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
