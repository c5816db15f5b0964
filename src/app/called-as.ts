import * as path from 'node:path';

/** How the program was called, so that its next commands can be copied: in a clone it is not on the path. */
export function calledAs(script: string | undefined): string {
  if (script === undefined || path.extname(script) !== '.js') return 'rollout-bench';
  return `node ${path.relative(process.cwd(), script) || script}`;
}
