import { access, lstat } from 'node:fs/promises';

function succeeds(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => true,
    () => false,
  );
}

/** Whether something is at a path, whatever it is; a link counts as what it leads to. */
export function isThere(file: string): Promise<boolean> {
  return succeeds(access(file));
}

/** Whether a name is taken, by a link that leads nowhere too. */
export function isTaken(file: string): Promise<boolean> {
  return succeeds(lstat(file));
}
