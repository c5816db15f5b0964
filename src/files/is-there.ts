import { access } from 'node:fs/promises';

/** Whether something is at a path, whatever it is. */
export function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
