import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { attemptFolder } from '../../bundle/layout.ts';
import { readWithinNow } from '../../files/read-within.ts';
import { JOURNAL_FILE } from '../../journal/journal.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import { journalLineSchema } from '../../model/journal-events.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { attemptsOf } from './attempt-folders.ts';
import { RUN_ID } from './scan-runs.ts';

const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

interface CountRequest {
  /** Absolute. */
  readonly workspace: string;
  readonly runId: string;
  /** The attempt that begins now; it counts. */
  readonly attempt: number;
  readonly suite: string;
  /** Null is unknown. */
  readonly headCommit: string | null;
}

/**
 * How often this was measured here, this attempt included: attempts of the run, and of all runs of the suite at the same
 * commit as far as their folders are kept. An attempt that queued nothing measured nothing. Follows no link.
 */
export async function countAttempts(request: CountRequest): Promise<NonNullable<RunFacts['attempts']>> {
  const { workspace, runId, attempt, suite, headCommit } = request;
  let ofRun = 1;
  let atCommit = 1;
  for (const name of await runFolders(workspace)) {
    for (const earlier of await attemptsOf(workspace, name)) {
      if (name === runId && earlier.attempt >= attempt) continue;
      const began = beginningOf(workspace, name, earlier.attempt);
      if (began === null) continue;
      if (name === runId) ofRun += 1;
      if (began.suite === suite && began.headCommit === headCommit) atCommit += 1;
    }
  }
  return { ofRun, atCommit: headCommit === null ? null : atCommit };
}

/** Held-out cells are measured with their public run, and are no attempt of their own. */
async function runFolders(workspace: string): Promise<readonly string[]> {
  const entries = await fs
    .readdir(path.join(workspace, BENCH_FOLDER), { withFileTypes: true })
    .catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name) && !entry.name.endsWith('-heldout'))
    .map(({ name }) => name);
}

/** What an attempt with sessions was begun for; null for one without, and for a journal that cannot be read. */
function beginningOf(
  workspace: string,
  runId: string,
  attempt: number,
): { readonly suite: string; readonly headCommit: string | null } | null {
  const parts = [...attemptFolder(runId, attempt).split('/'), JOURNAL_FILE];
  const reading = readWithinNow(workspace, parts, MAX_JOURNAL_BYTES);
  if (reading.state !== 'present' || !hasSessions(reading.bytes)) return null;
  const first = reading.bytes.subarray(0, reading.bytes.indexOf('\n')).toString('utf8');
  const event = startOf(first);
  return event === null ? null : { suite: event.suite, headCommit: event.identity.headCommit ?? null };
}

function hasSessions(journal: Buffer): boolean {
  return journal.includes('"type":"queued"') || journal.includes('"type":"adopted"');
}

function startOf(line: string) {
  try {
    const { event } = journalLineSchema.parse(JSON.parse(line));
    return event.type === 'started' ? event : null;
  } catch {
    return null;
  }
}
