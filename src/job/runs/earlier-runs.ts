import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import type { EpisodePace } from '../../plan/episode-pace.ts';
import { attemptsOf } from './attempt-folders.ts';

/** Only the newest runs are looked at: older ones tell about another policy or simulator. */
const RUNS_LOOKED_AT = 5;
const MAX_EPISODES_BYTES = 64 * 1024 * 1024;

/** The pace of valid episodes in the newest earlier run of a suite here that has any; null when there is none. */
export async function earlierPace(workspace: string, suite: string): Promise<EpisodePace | null> {
  for (const runId of await newestRuns(workspace, suite)) {
    const last = (await attemptsOf(workspace, runId)).at(-1);
    const pace =
      last === undefined ? null : await paceIn(path.join(last.bundleDir, BUNDLE_FILES.episodes), suite);
    if (pace !== null) return pace;
  }
  return null;
}

async function newestRuns(workspace: string, suite: string): Promise<string[]> {
  const root = path.join(workspace, BENCH_FOLDER);
  const names = (await fs.readdir(root).catch((): string[] => [])).filter(
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
async function paceIn(file: string, suite: string): Promise<EpisodePace | null> {
  try {
    const lines = (await readTextCapped(file, MAX_EPISODES_BYTES)).split('\n');
    const { episodeRecordSchema } = await import('../../model/episode-record.ts');
    const { paceOf } = await import('../../plan/episode-pace.ts');
    const records = lines
      .filter((line) => line !== '')
      .map((line) => episodeRecordSchema.parse(JSON.parse(line)));
    return paceOf(records.filter((record) => record.suite === suite));
  } catch {
    return null;
  }
}
