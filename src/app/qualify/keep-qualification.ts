import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { byCodeUnit } from '../../bundle/walk.ts';
import { writeOnce } from '../../bundle/write-once.ts';
import { RbError } from '../../errors/rb-error.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { type Qualification, qualificationSchema } from '../../qualification/qualification.ts';
import { stableJson } from '../../results/results-text.ts';
import { readTextCapped } from '../../workspace/atomic-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;
/** Names begin with their time, so the newest ones are the last. */
const READ_AT_MOST = 500;
const FILE_NAME = /^[A-Za-z0-9_-]{1,200}\.json$/;

/** Keeps a qualification on the host for later runs, and beside its evidence. Nothing is ever replaced. */
export async function keepQualification(
  workspace: string,
  folder: string,
  made: Qualification,
): Promise<void> {
  const text = stableJson(made);
  await writeOnce(folder, 'qualification.json', text);
  await writeOnce(hostFolder(workspace).qualifications, `${made.id}.json`, text);
}

export interface KeptQualifications {
  readonly kept: readonly Qualification[];
  /** Names of files that are no qualifications of this release; they count as none. */
  readonly unreadable: readonly string[];
}

/** Every qualification that the host keeps. A folder that is not there has none. */
export async function keptQualifications(workspace: string): Promise<KeptQualifications> {
  const folder = hostFolder(workspace).qualifications;
  const names = (await readdir(folder).catch(() => [] as string[]))
    .filter((name) => FILE_NAME.test(name))
    .toSorted(byCodeUnit)
    .slice(-READ_AT_MOST);
  const kept: Qualification[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    const parsed = qualificationSchema.safeParse(await jsonOf(path.join(folder, name)));
    if (parsed.success && `${parsed.data.id}.json` === name) kept.push(parsed.data);
    else unreadable.push(name);
  }
  return { kept, unreadable };
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readTextCapped(file, MAX_BYTES));
  } catch (error) {
    if (error instanceof RbError || error instanceof SyntaxError) return null;
    throw error;
  }
}
