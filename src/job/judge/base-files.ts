import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { isThere } from '../../files/is-there.ts';
import { GitHubFailure } from '../../github/failure.ts';
import { DEFAULT_CONFIG } from '../../inputs/read-inputs.ts';
import type { Connection } from '../connection.ts';
import type { Environment } from '../verb.ts';

/** A file of the checkout that rules the measurement. */
interface RulingFile {
  /** Inside the repository, with `/`. */
  readonly path: string;
  /** Null: the checkout does not have it, though it is where the base commit may. */
  readonly text: string | null;
  readonly kind: 'config' | 'workflow';
}

const MAX_FILE_BYTES = 1024 * 1024;
const PURPOSE = { what: 'read the rules of the base commit', permissions: ['contents: read'] } as const;
const contentSchema = z.object({ content: z.string(), encoding: z.literal('base64') });

/**
 * The config file and the workflow, as far as the job has them checked out; a path outside the checkout is none. The usual
 * place of the config file is looked at whatever file is named: a change may take that one away, or name another.
 */
export async function rulingFiles(env: Environment, config: string | null): Promise<RulingFile[]> {
  const root = env.GITHUB_WORKSPACE;
  if (root === undefined || root === '') return [];
  const workflow = workflowPath(env.GITHUB_WORKFLOW_REF);
  const usual = (await isThere(path.join(root, '.git'))) ? [path.resolve(root, DEFAULT_CONFIG)] : [];
  const named = config === null ? [] : [path.resolve(config)];
  const configs = [...new Set([...named, ...usual])];
  const wanted = [
    ...configs.map((file) => ({ kind: 'config' as const, file })),
    ...(workflow === null ? [] : [{ kind: 'workflow' as const, file: path.resolve(root, workflow) }]),
  ];
  const found: RulingFile[] = [];
  for (const { kind, file } of wanted) {
    const inside = path.relative(root, file).split(path.sep).join('/');
    if (inside.startsWith('..') || path.isAbsolute(inside)) continue;
    const text = await readFile(file, 'utf8').catch(() => null);
    const gone = text === null && usual.includes(file);
    if (gone || (text !== null && text.length <= MAX_FILE_BYTES)) found.push({ path: inside, text, kind });
  }
  return found;
}

/** `owner/name/.github/workflows/x.yml@refs/…` → `.github/workflows/x.yml`; another repository's workflow is none. */
function workflowPath(reference: string | undefined): string | null {
  return /^[^/]+\/[^/]+\/(\.github\/workflows\/[^@]+)@/.exec(reference ?? '')?.[1] ?? null;
}

/**
 * A file of the repository at a commit; null when it is not there.
 * @throws GitHubFailure when it cannot be read.
 */
export async function fileAt(github: Connection, file: string, commit: string): Promise<string | null> {
  try {
    const { content } = await github.client.request({
      route: 'GET /repos/{owner}/{repo}/contents/{path}',
      params: { ...github.repository, path: file, ref: commit },
      schema: contentSchema,
      purpose: PURPOSE,
    });
    return Buffer.from(content, 'base64').toString('utf8');
  } catch (error) {
    if (error instanceof GitHubFailure && error.status === 404) return null;
    throw error;
  }
}
