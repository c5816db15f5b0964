import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import { resultsSchema } from '../../results/results.ts';
import { readTextCapped } from '../../workspace/atomic-file.ts';
import { attemptsOf } from './attempts.ts';

/** Only the newest runs are looked at: older ones tell about another policy or simulator. */
const RUNS_LOOKED_AT = 5;
const MAX_RESULTS_BYTES = 32 * 1024 * 1024;

/** Mean wall-clock seconds of an episode in the newest earlier run of a suite here; null when there is none. */
export async function secondsPerEpisode(workspace: string, suite: string): Promise<number | null> {
  for (const runId of await newestRuns(workspace, suite)) {
    const last = (await attemptsOf(workspace, runId)).at(-1);
    const mean =
      last === undefined ? null : await meanOf(path.join(last.bundleDir, BUNDLE_FILES.results), suite);
    if (mean !== null) return mean / 1000;
  }
  return null;
}

async function newestRuns(workspace: string, suite: string): Promise<string[]> {
  const root = path.join(workspace, BENCH_FOLDER);
  const names = (await fs.readdir(root).catch(() => [] as string[])).filter(
    (name) => !name.startsWith('.') && name.includes(suite),
  );
  const dated = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await fs.stat(path.join(root, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  return dated
    .toSorted((left, right) => right.at - left.at)
    .slice(0, RUNS_LOOKED_AT)
    .map(({ name }) => name);
}

/** Null for a file that is not there or not ours to read: an estimate is never worth an error. */
async function meanOf(file: string, suite: string): Promise<number | null> {
  try {
    const parsed = resultsSchema.safeParse(JSON.parse(await readTextCapped(file, MAX_RESULTS_BYTES)));
    if (!parsed.success || parsed.data.suite !== suite) return null;
    const { arms, time } = parsed.data;
    const recorded = arms.reduce((sum, arm) => sum + arm.recorded, 0);
    // Wall time, not the episodes' own: what lies between two sessions is part of what a plan takes.
    return time.wallMs === null || recorded === 0 ? null : time.wallMs / recorded;
  } catch {
    return null;
  }
}
