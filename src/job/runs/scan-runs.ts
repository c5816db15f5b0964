import type { Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { sha256Of } from '../../base/sha256.ts';
import { byCodeUnit } from '../../base/stable-json.ts';
import { DECIDED, QUARANTINE, VIDEOS } from '../../bundle/layout.ts';
import { errorOf, RbError } from '../../errors/rb-error.ts';
import { BENCH_FOLDER, hostFolder } from '../../lane/host-folder.ts';
import { runningRun } from '../../queue/host-status.ts';
import { ATTEMPT_FOLDER } from './attempt-folders.ts';
import type { RejectedEntry, RunEntry, Scan } from './run-entry.ts';
import { RAW_REMOVED } from './run-entry.ts';
import { scanAttempt } from './scan-attempt.ts';
import { isControl, scanQualification } from './scan-qualification.ts';

/** A folder with more entries is not one of runs; the host keeps tens. */
const MAX_ENTRIES = 10_000;
/** Of the host itself, beside those of its runs. */
const HOST_FOLDER = path.basename(hostFolder('/').root);
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,150}$/;

/**
 * Looks at every run of a workspace: names, sizes, manifests and results. Follows no link and changes nothing. A
 * workspace that never had a run has none; a folder that cannot be looked at is an error and never "none".
 * @param workspace absolute path.
 * @throws RbError RB520 (exit 4) when it cannot be looked at.
 */
export async function scanRuns(workspace: string): Promise<Scan> {
  const root = await fs.realpath(workspace).catch((error: unknown) => {
    throw couldNotLook('the workspace', error);
  });
  const rejected: RejectedEntry[] = [];
  const runs: RunEntry[] = [];
  const entries = await entriesOf(root, BENCH_FOLDER.split('/'));
  const running = entries.length === 0 ? null : await runningRun(root);
  for (const entry of entries) {
    if (entry.isFile() || (entry.isDirectory() && entry.name === HOST_FOLDER)) continue;
    if (!entry.isDirectory()) rejected.push({ path: shown(entry.name), reason: 'a link or special file' });
    else if (!RUN_ID.test(entry.name)) {
      const reason = entry.name.startsWith('.') ? 'hidden, and not the id of a run' : 'not the id of a run';
      rejected.push({ path: shown(entry.name), reason });
    } else runs.push(await scanRun(root, entry.name, { rejected, running }));
  }
  return {
    rootId: sha256Of(root).slice(0, 12),
    scanned: entries.length,
    runs,
    rejected,
  };
}

interface ScanNotes {
  readonly rejected: RejectedEntry[];
  /** Run that holds the lane. */
  readonly running: string | null;
}

async function scanRun(root: string, runId: string, { rejected, running }: ScanNotes): Promise<RunEntry> {
  const folder = [...BENCH_FOLDER.split('/'), runId];
  const entries = await entriesOf(root, folder);
  const names = new Set(entries.map(({ name }) => name));
  // A link with the name of a note is none.
  const notes = new Set(entries.filter((each) => each.isFile()).map(({ name }) => name));
  const attempts: { readonly entry: Dirent; readonly attempt: number }[] = [];
  for (const entry of entries) {
    const number = ATTEMPT_FOLDER.exec(entry.name)?.[1];
    if (number !== undefined && entry.isDirectory()) attempts.push({ entry, attempt: Number(number) });
    else {
      const reason = oddity(entry, number !== undefined);
      if (reason !== null) rejected.push({ path: `${runId}/${shown(entry.name)}`, reason });
    }
  }
  attempts.sort((left, right) => left.attempt - right.attempt);
  const last = attempts.at(-1)?.attempt;
  return {
    runId,
    ...(await scanQualification({ root, folder, entries, running: runId === running })),
    attempts: await Promise.all(
      attempts.map(({ entry, attempt }) =>
        scanAttempt({
          root,
          folder: [...folder, entry.name],
          shownAs: `${runId}/${entry.name}`,
          attempt,
          rejected,
          running: runId === running && attempt === last,
          quarantine: names.has(`${entry.name}${QUARANTINE}`),
          rawRemoved: notes.has(`${entry.name}${RAW_REMOVED}`),
        }),
      ),
    ),
  };
}

/** Why something in the folder of a run is not looked into; null for what belongs there. */
function oddity(entry: Dirent, isCalledAttempt: boolean): string | null {
  if (entry.isFile()) return isCalledAttempt ? 'no folder' : null;
  if (!entry.isDirectory()) return 'a link or special file';
  if (isControl(entry.name)) return null;
  const ending = [QUARANTINE, DECIDED, VIDEOS].find((each) => entry.name.endsWith(each)) ?? '';
  const owner = ending === '' ? '' : entry.name.slice(0, -ending.length);
  if (ATTEMPT_FOLDER.test(owner) || isControl(owner)) return null;
  return 'neither an attempt nor a control';
}

/** Sorted by name; an absent folder has none. No part of the path below the root may be a link. */
async function entriesOf(root: string, parts: readonly string[]): Promise<Dirent[]> {
  const name = parts.join('/');
  try {
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const stats = await fs.lstat(path.join(root, ...parts.slice(0, depth)));
      if (!stats.isDirectory()) throw couldNotLook(parts.slice(0, depth).join('/'), 'it is no folder');
    }
    const entries = await fs.readdir(path.join(root, ...parts), { withFileTypes: true });
    if (entries.length > MAX_ENTRIES) throw couldNotLook(name, `it has more than ${MAX_ENTRIES} entries`);
    return entries.sort((left, right) => byCodeUnit(left.name, right.name));
  } catch (error) {
    if (error instanceof RbError) throw error;
    if (errorCode(error) === 'ENOENT') return [];
    throw couldNotLook(name, error);
  }
}

/** Error texts of the system hold absolute paths; the code says enough. */
function couldNotLook(where: string, reason: unknown): RbError {
  const why = typeof reason === 'string' ? reason : `the system says ${errorCode(reason) ?? 'no'}`;
  return errorOf('RB520', {
    where,
    message: `It could not be looked at: ${why}.`,
  });
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100)).slice(1, -1);
}
