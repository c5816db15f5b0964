import { readWithinNow } from '../files/read-within.ts';
import type { Dialect, Reading } from '../workspace/dialect.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { findDialect, type RawDocuments, signOfMay } from '../workspace/find-dialect.ts';
import { readMapping } from '../workspace/runtime-document.ts';
import { isMapping } from '../workspace/shape.ts';
import type { QueueSnapshot } from './machine/snapshot.ts';

/** Entries that are asked. A rewrite of the runtime leaves its marks on every one, so that few tell as much as all. */
const ASKED = 100;

export interface WorkspaceDialect {
  readonly reading: Reading;
  /** What shows that the runtime is too old to be supported; null when nothing does. */
  readonly may: string | null;
}

/**
 * Which dialect a workspace speaks, for who only looks: what cannot be read tells nothing and is no fault here. Reads the two
 * registries; asks the first entries of the queue only.
 * @param chosen by the user, null when nobody says.
 */
export function workspaceDialect(
  workspace: string,
  { entries }: Pick<QueueSnapshot, 'entries'>,
  chosen: Dialect | null,
): WorkspaceDialect {
  const sessions = { sessions: entries.slice(0, ASKED).map((entry) => entry.body()) };
  const skills = registry(workspace, 'SKILLRUNTIME.md');
  const documents: RawDocuments = {
    sessions,
    targets: registry(workspace, 'TARGETS.md').raw,
    skillruntimes: skills.raw,
  };
  const skillsFile = skills.absent && !registry(workspace, 'SKILLS.md').absent;
  return { reading: findDialect(documents, chosen), may: signOfMay(documents, skillsFile) };
}

function registry(
  workspace: string,
  file: string,
): { readonly raw: Record<string, unknown> | null; readonly absent: boolean } {
  const reading = readWithinNow(workspace, [file], MAX_DOCUMENT_BYTES);
  if (reading.state !== 'present') return { raw: null, absent: reading.state === 'absent' };
  const read = readMapping(reading.bytes.toString('utf8'), file);
  return { raw: 'raw' in read && isMapping(read.raw) ? read.raw : null, absent: false };
}
