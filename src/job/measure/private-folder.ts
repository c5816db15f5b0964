import { chmod } from 'node:fs/promises';
import * as path from 'node:path';
import { errorOf, type RbError } from '../../errors/rb-error.ts';
import { resolveInside } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/durable-lines.ts';
import { walkFolder } from '../../files/walk.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';

/**
 * Does work that writes into the folder of a held-out run, which nobody but this user may enter from before its first
 * file on. When the work is over, in whatever way, its files are for this user alone as well, wherever they are moved.
 * @throws RbError RB449 (exit 3) when the folder belongs to somebody else, RB213 when it is no folder.
 */
export async function inPrivate<T>(workspace: string, runId: string, work: () => Promise<T>): Promise<T> {
  const name = `${BENCH_FOLDER}/${runId}`;
  const folder = await resolveInside(workspace, path.join(BENCH_FOLDER, runId));
  if (!(await makePrivateFolder(folder))) throw notOurs(name);
  try {
    return await work();
  } finally {
    const { files, folders } = walkFolder(folder);
    for (const each of folders) await chmod(path.join(folder, each), 0o700);
    for (const each of files) await chmod(path.join(folder, each), 0o600);
  }
}

function notOurs(where: string): RbError {
  return errorOf('RB449', {
    where,
    message: 'the folder for the held-out evidence belongs to another user, who could read all of it.',
  });
}
