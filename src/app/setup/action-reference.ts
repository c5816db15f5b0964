import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { PLACEHOLDER } from '../../setup/files.ts';

const ORIGIN =
  /^\s*url\s*=\s*(?:https:\/\/github\.com\/|git@github\.com:|ssh:\/\/git@github\.com\/)([\w.-]+\/[\w.-]+?)(?:\.git)?\s*$/m;

/**
 * The action as workflows name it, by where the clone that this program runs from was cloned from; the placeholder of the
 * documents where that is not known.
 * @param script path of the running program, `dist/cli.js` of a clone
 */
export async function actionReference(script: string | undefined): Promise<string> {
  const config = path.join(path.dirname(path.dirname(script ?? '')), '.git', 'config');
  const text = script === undefined ? '' : await readFile(config, 'utf8').catch(() => '');
  const origin = ORIGIN.exec(text)?.[1];
  return origin === undefined ? PLACEHOLDER : `${origin}@${PLACEHOLDER.split('@')[1]}`;
}
