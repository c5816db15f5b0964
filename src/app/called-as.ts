import * as path from 'node:path';
import { shellWord } from '../base/shell-word.ts';

/** Folder of npm's cache from which `npx` starts what is installed nowhere. */
const NPX_FOLDER = `${path.sep}_npx${path.sep}`;

/** How the program was called, so that its next commands can be copied: neither in a clone nor by `npx` is it on the path. */
export function calledAs(script: string | undefined): string {
  if (script?.includes(NPX_FOLDER) === true) return `node ${shellWord(script)}`;
  if (script === undefined || path.extname(script) !== '.js') return 'rollout-bench';
  return `node ${path.relative(process.cwd(), script) || script}`;
}
