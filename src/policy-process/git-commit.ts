import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const HASH = /^[0-9a-f]{40,64}$/;

/** The commit that a folder is checked out at. */
export interface Checkout {
  readonly commit: string;
  /** Tracked files differ from it; null when git could not say. */
  readonly hasChanges: boolean | null;
}

/** What git says of a folder; null when there is no git, no repository, or no commit yet. Runs no hook of the repository. */
export async function checkoutOf(
  directory: string,
  own: Readonly<Record<string, string | undefined>>,
): Promise<Checkout | null> {
  const ask = (...question: readonly string[]): Promise<string | null> => git(directory, own, question);
  const commit = (await ask('rev-parse', '--verify', 'HEAD'))?.trim() ?? '';
  if (!HASH.test(commit)) return null;
  const changes = await ask('status', '--porcelain', '--untracked-files=no', '--ignore-submodules=none');
  return { commit, hasChanges: changes === null ? null : changes.trim() !== '' };
}

async function git(
  directory: string,
  own: Readonly<Record<string, string | undefined>>,
  question: readonly string[],
): Promise<string | null> {
  // The folder may be another user's, and its settings name programs that git would start.
  const settings = ['safe.directory=*', 'core.fsmonitor=false', 'core.hooksPath=/dev/null'];
  const args = ['-C', directory, ...settings.flatMap((each) => ['-c', each]), ...question];
  const env = { PATH: own['PATH'], HOME: own['HOME'], LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
  try {
    const { stdout } = await run('git', args, { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch {
    return null;
  }
}
