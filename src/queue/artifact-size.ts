import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { runtimeArtifacts } from '../workspace/id-path.ts';

/** A session leaves a handful of files; a folder with more is not worth walking while a run waits. */
const MOST_ENTRIES = 100_000;

/**
 * Bytes of the files that the runtime keeps for a session (`artifacts/runtime/<session id>/`). No link is followed, a
 * link counts as itself. No folder is 0; null when the folder cannot be read to its end.
 */
export async function artifactBytes(workspace: string, sessionId: string): Promise<number | null> {
  const folders = [runtimeArtifacts(workspace, sessionId)];
  let bytes = 0;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = await list(folder);
    if (listed === null) return null;
    for (const { name, directory } of listed) {
      entries += 1;
      if (entries > MOST_ENTRIES) return null;
      const file = path.join(folder, name);
      if (directory) folders.push(file);
      else bytes += await sizeOf(file);
    }
  }
  return bytes;
}

async function list(folder: string): Promise<{ name: string; directory: boolean }[] | null> {
  try {
    // A link in the place of the folder is not ours to follow.
    if (!(await fs.lstat(folder)).isDirectory()) return null;
    const entries = await fs.readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, directory: entry.isDirectory() }));
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? [] : null;
  }
}

/** What was removed meanwhile takes no room. */
async function sizeOf(file: string): Promise<number> {
  return (await fs.lstat(file).catch(() => null))?.size ?? 0;
}
