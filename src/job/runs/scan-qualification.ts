import type { Dirent } from 'node:fs';
import { sha256Of } from '../../base/sha256.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { readWithin } from '../../files/read-within.ts';
import { controlsFor } from '../../qualification/controls.ts';
import { MAX_QUALIFICATION_BYTES, qualificationOf } from './keep-qualification.ts';
import type { ControlEntry, QualificationEntry } from './run-entry.ts';
import { MAX_DOCUMENT_BYTES } from './scan-attempt.ts';

const CONTROL_NAMES: ReadonlySet<string> = new Set(controlsFor(true).map(({ name }) => name));

/** Is this the folder of a control in the folder of a qualification? */
export function isControl(name: string): boolean {
  return CONTROL_NAMES.has(name);
}

interface QualificationRequest {
  /** Absolute. */
  readonly root: string;
  /** Below the root. */
  readonly folder: readonly string[];
  readonly entries: readonly Dirent[];
  /** It has the lane now. */
  readonly running: boolean;
}

/** A folder of controls instead of attempts, and what it says that it came to; empty for the folder of a run. */
export async function scanQualification(
  request: QualificationRequest,
): Promise<QualificationEntry | Record<never, never>> {
  const { root, folder, entries, running } = request;
  const names = entries.filter((entry) => entry.isDirectory() && isControl(entry.name));
  const claims = entries.some((entry) => entry.name === BUNDLE_FILES.qualification && entry.isFile());
  if (names.length === 0 && !claims) return {};
  const text = await textOf(root, [...folder, BUNDLE_FILES.qualification], MAX_QUALIFICATION_BYTES);
  const controls = names.map(async ({ name }): Promise<ControlEntry> => {
    const manifest = await textOf(root, [...folder, name, BUNDLE_FILES.manifest], MAX_DOCUMENT_BYTES);
    return { name, manifestSha256: manifest === null ? null : sha256Of(manifest), sealValid: null };
  });
  return {
    qualification: claims ? claimIn(text, folder.at(-1) ?? '') : running ? 'running' : 'unfinished',
    qualificationSha256: text === null ? null : sha256Of(text),
    controls: await Promise.all(controls),
    qualificationFaults: null,
  };
}

/** A copy of one under another name is none: its evidence is elsewhere. */
function claimIn(text: Buffer | null, runId: string): QualificationEntry['qualification'] {
  const made = text === null ? null : qualificationOf(text.toString('utf8'));
  if (made === null || made.id !== runId) return 'unreadable';
  return made.qualified ? 'passed' : 'not passed';
}

async function textOf(root: string, parts: readonly string[], most: number): Promise<Buffer | null> {
  const reading = await readWithin(root, parts, most);
  return reading.state === 'present' ? reading.bytes : null;
}
