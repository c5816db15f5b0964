import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { byCodeUnit, stableJson } from '../../base/stable-json.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { writeOnce } from '../../files/write-once.ts';
import { BENCH_FOLDER, hostFolder } from '../../lane/host-folder.ts';
import { type Qualification, qualificationSchema } from '../../model/qualification.ts';

export const MAX_QUALIFICATION_BYTES = 4 * 1024 * 1024;
/** Names begin with their time, so the newest ones are the last. */
const READ_AT_MOST = 500;
const FILE_NAME = /^[A-Za-z0-9_-]{1,200}\.json$/;

/**
 * Keeps a qualification beside its evidence and, unless it was cancelled before it could tell anything, on the host for
 * later runs. Nothing is ever replaced.
 */
export async function keepQualification(
  workspace: string,
  made: Qualification,
  wasCancelled: boolean,
): Promise<void> {
  const text = stableJson(made);
  await writeOnce(path.join(workspace, BENCH_FOLDER, made.id), BUNDLE_FILES.qualification, text);
  if (wasCancelled && made.controls.every(({ state }) => state !== 'misbehaved')) return;
  await writeOnce(hostFolder(workspace).qualifications, `${made.id}.json`, text);
}

interface KeptQualifications {
  readonly kept: readonly Qualification[];
  /** Names of files that are no qualifications of this release; they count as none. */
  readonly unreadable: readonly string[];
}

/** Every qualification that the host keeps. A folder that is not there has none. */
export async function keptQualifications(workspace: string): Promise<KeptQualifications> {
  const folder = hostFolder(workspace).qualifications;
  const names = (await readdir(folder).catch((): string[] => []))
    .filter((name) => FILE_NAME.test(name))
    .toSorted(byCodeUnit)
    .slice(-READ_AT_MOST);
  const kept: Qualification[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    const found = await readQualification(path.join(folder, name));
    if (found !== null && `${found.id}.json` === name) kept.push(found);
    else unreadable.push(name);
  }
  return { kept, unreadable };
}

/** A qualification of this release; null for anything else. */
export async function readQualification(file: string): Promise<Qualification | null> {
  try {
    return qualificationOf(await readTextCapped(file, MAX_QUALIFICATION_BYTES));
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

/** The same of a text. */
export function qualificationOf(text: string): Qualification | null {
  try {
    return qualificationSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
