import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { JournalEvent } from '../journal/events.ts';
import { readJournal } from '../journal/journal.ts';
import { BENCH_FOLDER } from '../lane/host-folder.ts';

/** Written last into a bundle: with it the attempt is sealed and never continued. */
const SEAL_FILE = 'manifest.json';

type Started = Extract<JournalEvent, { type: 'started' }>;

/** An attempt of a run as its folder shows it. */
export interface EarlierAttempt {
  readonly attempt: number;
  /** Absolute. */
  readonly bundleDir: string;
  readonly sealed: boolean;
  /** First record of its journal; null when it was killed before it was written. */
  readonly started: Started | null;
}

/** Absolute folder of an attempt: `<workspace>/artifacts/rollout-bench/<run id>/attempt-<n>`. */
export function attemptFolder(workspace: string, runId: string, attempt: number): string {
  return path.join(workspace, BENCH_FOLDER, runId, `attempt-${attempt}`);
}

/**
 * The attempts of a run that left a folder, oldest first; the next one is one above the last.
 * @throws RbError RB403 when a journal is damaged.
 */
export async function earlierAttempts(workspace: string, runId: string): Promise<readonly EarlierAttempt[]> {
  const names = await fs.readdir(path.join(workspace, BENCH_FOLDER, runId)).catch(() => []);
  const numbers = names
    .map((name) => /^attempt-([1-9]\d{0,5})$/.exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number)
    .toSorted((a, b) => a - b);
  return Promise.all(
    numbers.map((attempt) => readAttempt(attemptFolder(workspace, runId, attempt), attempt)),
  );
}

async function readAttempt(bundleDir: string, attempt: number): Promise<EarlierAttempt> {
  const sealed = await fs.stat(path.join(bundleDir, SEAL_FILE)).then(
    () => true,
    () => false,
  );
  const first = (await readJournal(bundleDir)).records[0]?.event;
  return { attempt, bundleDir, sealed, started: first?.type === 'started' ? first : null };
}

/**
 * Why an earlier attempt cannot be continued with this plan and identity; empty when it can. An identity that is unknown
 * on one side and known on the other differs: an unknown policy may be another one. Pure.
 */
export function resumeDifferences(
  earlier: Pick<Started, 'planDigest' | 'identity'>,
  now: { readonly planDigest: string; readonly identity: Readonly<Record<string, string | null>> },
): readonly string[] {
  const differences: string[] = [];
  if (earlier.planDigest !== now.planDigest) {
    differences.push(`plan digest: was ${earlier.planDigest}, is ${now.planDigest}`);
  }
  for (const key of new Set([...Object.keys(earlier.identity), ...Object.keys(now.identity)])) {
    const [was, is] = [earlier.identity[key] ?? null, now.identity[key] ?? null];
    if (was !== is) differences.push(`${key}: was ${was ?? 'unknown'}, is ${is ?? 'unknown'}`);
  }
  return differences;
}
