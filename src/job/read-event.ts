import { realpath } from 'node:fs/promises';
import { readCapped } from '../files/atomic-file.ts';
import type { Environment } from './verb.ts';

/** Far above the largest webhook payload (25 MB is GitHub's limit; what a runner writes is a few hundred kB). */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** The event that started the workflow, as JSON; undefined where there is none or it cannot be read. */
export async function readEvent(env: Environment): Promise<unknown> {
  const file = env.GITHUB_EVENT_PATH;
  if (file === undefined || file === '') return undefined;
  try {
    const bytes = await readCapped(await realpath(file), MAX_EVENT_BYTES);
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
