import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { EXIT, RbError } from '../errors/rb-error.ts';
import { makeFolder, syncFolder } from '../journal/durable-lines.ts';

/**
 * Writes a new file durably (file and folder synced). A file that is there with the same content is left alone, so
 * that sealing can be repeated after a crash.
 * @throws RbError RB701 when it is there with other content: evidence is never replaced.
 */
export async function writeOnce(root: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = path.join(root, name);
  await makeFolder(path.dirname(file));
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  try {
    const handle = await fs.open(file, 'wx', 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isExisting(error)) throw error;
    if (Buffer.compare(await fs.readFile(file), bytes) !== 0) throw replaced(file, error);
  }
  await syncFolder(path.dirname(file));
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function replaced(file: string, cause: unknown): RbError {
  return new RbError(
    EXIT.refused,
    [
      {
        code: 'RB701',
        where: file,
        message: 'The file is there already, with other content.',
        fix: 'Keep this attempt as it is and start the next one.',
        severity: 'fatal',
      },
    ],
    { cause },
  );
}
