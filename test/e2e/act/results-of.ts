import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Results, resultsSchema } from '../../../src/model/results.ts';

/** What the last attempt of the only run of a workspace came to. */
export async function resultsOf(workspace: string): Promise<Results> {
  const runs = join(workspace, 'artifacts', 'rollout-bench');
  const files = await readdir(runs, { recursive: true });
  const sealed = files.filter((name) => /^[^.][^/]*\/attempt-\d+\/results\.json$/.test(name)).sort();
  const text = await readFile(join(runs, sealed.at(-1) ?? ''), 'utf8');
  return resultsSchema.parse(JSON.parse(text));
}
