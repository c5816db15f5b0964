import { access, lstat } from 'node:fs/promises';

const yes = (): boolean => true;
const no = (): boolean => false;

/** Whether something is at a path, whatever it is; a link counts as what it leads to. */
export function isThere(file: string): Promise<boolean> {
  return access(file).then(yes, no);
}

/** Whether a name is taken, by a link that leads nowhere too. */
export function isTaken(file: string): Promise<boolean> {
  return lstat(file).then(yes, no);
}
