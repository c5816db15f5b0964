import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { makeFolder, syncFolder } from './durable-lines.ts';
import { fileFailure } from './problems.ts';

/**
 * Makes a small file that must be there as a whole or not at all, durably; of several that make it at once one wins. A
 * file that is there already stays as it is.
 * @returns whether this call made it
 * @throws RbError RB219 when the system cannot write it
 */
export async function makeWhole(file: string, content: string): Promise<boolean> {
  const folder = path.dirname(file);
  if (await isThere(file)) return false;
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await makeFolder(folder);
    const handle = await fs.open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link never replaces, and its name appears with the whole content behind it.
    await fs.link(temporary, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) === null) throw error;
    throw fileFailure(file, 'make the file', error);
  } finally {
    await fs.rm(temporary, { force: true }).catch(() => undefined);
  }
  await syncFolder(folder);
  return true;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await fs.lstat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (errorCode(error) === null) throw error;
    throw fileFailure(file, 'look at the file', error);
  }
}
