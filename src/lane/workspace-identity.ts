import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { sha256Of } from '../base/sha256.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { makeWhole } from '../files/make-whole.ts';
import type { HostFolder } from './host-folder.ts';

const MAX_BYTES = 1024;
const CONTENT = /^([0-9a-f]{64})\n$/;

/**
 * What tells this workspace from every other, as 64 hex digits: a random number that is made once, and the inode of the
 * folder that keeps it, so that a copy is another workspace, one made of hard links as well. A folder that is moved stays the same one.
 * @throws RbError RB386 (exit 3) when the file is not one of ours, RB213 when it is a link, RB219 when it cannot be made.
 */
export async function workspaceIdentity({ root, workspaceId }: HostFolder): Promise<string> {
  await makeWhole(workspaceId, `${randomBytes(32).toString('hex')}\n`);
  const number = CONTENT.exec(await readTextCapped(workspaceId, MAX_BYTES))?.[1];
  if (number === undefined) throw unreadable(workspaceId);
  const { ino } = await fs.lstat(root, { bigint: true });
  return sha256Of(`${number}:${ino}`);
}

function unreadable(where: string): RbError {
  return errorOf('RB386', {
    where,
    message: 'the identity of the workspace cannot be read: the file is not one of Rollout Bench.',
  });
}
