import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { fileFailure, systemReason } from '../files/problems.ts';

/**
 * Why no report could be written into a folder, null when it can be. Asked before anything is measured: a report that
 * cannot be written after hours of rollouts is found too late. Writes nothing.
 */
export async function reportDirProblem(reportDir: string): Promise<Problem | null> {
  const place = await nearestExisting(path.resolve(reportDir));
  try {
    if (!(await stat(place)).isDirectory()) return problem(reportDir, `${place} is not a folder`);
    await access(place, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return problem(reportDir, `${place} cannot be written: ${systemReason(error)}`);
  }
}

/**
 * Makes a folder with its parents, one by one: Node's own recursive way never ends on a file system that has no place
 * for new folders, such as /proc.
 * @throws RbError RB219 when it cannot be made.
 */
export async function makeReportFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  const existing = await nearestExisting(path.resolve(folder));
  for (let at = path.resolve(folder); at !== existing; at = path.dirname(at)) missing.push(at);
  for (const each of missing.toReversed()) {
    await mkdir(each).catch((error: unknown) => {
      if (errorCode(error) === 'EEXIST') return;
      throw fileFailure(each, 'make the folder', error);
    });
  }
}

/** The folder itself, or the first of its parents that is there. */
async function nearestExisting(place: string): Promise<string> {
  for (let at = place; ; at = path.dirname(at)) {
    const code = await stat(at).then(() => null, errorCode);
    if (code !== 'ENOENT' || at === path.dirname(at)) return at;
  }
}

function problem(reportDir: string, why: string): Problem {
  return problemOf('RB102', {
    fix: 'Name a folder that this user can write, or one that can be made.',
    where: 'input report-dir',
    message: `no report can be written there: ${why}.`,
    value: JSON.stringify(reportDir.slice(0, 200)),
  });
}
