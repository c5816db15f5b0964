import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

type Files = Readonly<Record<string, string>>;

/** A repository with a pull request of one commit. */
export interface PolicyRepository {
  readonly folder: string;
  readonly base: string;
  readonly head: string;
}

/** Makes a repository in an empty folder: `base` is committed first, and what `head` changes after it. */
export async function policyRepository(folder: string, base: Files, head: Files): Promise<PolicyRepository> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args]);
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  await git('init', '--quiet', '--initial-branch=main');
  const commit = async (files: Files): Promise<string> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await git('add', '--all');
    await git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'a change');
    return (await git('rev-parse', 'HEAD')).stdout.trim();
  };
  return { folder, base: await commit(base), head: await commit(head) };
}
