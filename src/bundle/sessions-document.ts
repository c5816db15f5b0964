import { readWithinNow } from '../files/read-within.ts';
import type { JournalRecord } from '../model/journal-events.ts';
import { sessionsOf } from '../outcome/build-records.ts';
import { ARCHIVE_FILES, MAX_ENTRY_BYTES } from '../outcome/read-archive.ts';
import { unattributedOf } from '../outcome/unattributed.ts';
import { BUNDLE_FILES } from './layout.ts';

/** Every session whose entry may be in raw/, in the order of the journal. */
export function archivedIds(journal: readonly JournalRecord[]): string[] {
  return [...sessionsOf(journal), ...unattributedOf(journal)].map(({ sessionId }) => sessionId);
}

/**
 * sessions.md of a bundle: every archived entry as it stood in SESSIONS.md when it was collected, for reading, piece
 * by piece. Nothing is computed from it; raw/ is the evidence.
 */
export function* sessionsDocument(
  bundleDir: string,
  runId: string,
  sessionIds: readonly string[],
): Generator<string> {
  yield `# Sessions of ${runId}\n\nAs they stood in SESSIONS.md when they were collected.\n`;
  for (const sessionId of sessionIds) {
    const text = entryText(bundleDir, sessionId);
    if (text === null) continue;
    const fence = fenceFor(text);
    yield `\n${fence}yaml\n${text.endsWith('\n') ? text : `${text}\n`}${fence}\n`;
  }
}

/** A session that left no entry has no file; anything else is said by the check of the bundle. */
function entryText(bundleDir: string, sessionId: string): string | null {
  const reading = readWithinNow(
    bundleDir,
    [BUNDLE_FILES.raw, ...sessionId.split('/'), ARCHIVE_FILES.session],
    MAX_ENTRY_BYTES,
  );
  return reading.state === 'present' ? reading.bytes.toString('utf8') : null;
}

/** Longer than any run of backticks inside, so that an entry cannot end its own block. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  return '`'.repeat(longest + 1);
}
