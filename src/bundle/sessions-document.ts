import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { pathOfId } from '../workspace/id-path.ts';

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
    const text = entryText(
      path.join(pathOfId(path.join(bundleDir, 'raw'), sessionId), ARCHIVE_FILES.session),
    );
    if (text === null) continue;
    const fence = fenceFor(text);
    yield `\n${fence}yaml\n${text.endsWith('\n') ? text : `${text}\n`}${fence}\n`;
  }
}

function entryText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // A session that left no entry has no file; anything else is said by the check of the bundle.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** Longer than any run of backticks inside, so that an entry cannot end its own block. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  return '`'.repeat(longest + 1);
}
