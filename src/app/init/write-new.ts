import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { isTaken } from '../../files/is-there.ts';
import { systemReason } from '../../files/problems.ts';
import type { NewDocument } from './documents.ts';

/**
 * Documents that are there already, a dangling link included: `init` makes a workspace and never changes one.
 * What cannot be looked at hinders the writing too, and says why then.
 */
export async function alreadyThere(workspace: string, names: readonly string[]): Promise<readonly Problem[]> {
  const found = await Promise.all(names.map((name) => isTaken(path.join(workspace, name))));
  return names.filter((_, index) => found[index]).map((name) => inTheWay(path.join(workspace, name)));
}

/**
 * Writes all documents or none, each whole, and never over anything.
 * @throws RbError RB981 where something has come in between, RB982 where nothing can be written (exit 3).
 */
export async function writeNew(workspace: string, documents: readonly NewDocument[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { name, content } of documents) {
      const file = path.join(workspace, name);
      await fs.mkdir(path.dirname(file), { recursive: true });
      await writeOne(file, content);
      written.push(file);
    }
  } catch (error) {
    await Promise.all(written.map((file) => fs.rm(file, { force: true })));
    throw refusalOf(error, workspace);
  }
}

/** A link to a finished file appears whole, and fails where there is one; a rename would take its place. */
async function writeOne(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await fs.writeFile(temporary, content, { flag: 'wx' });
    await fs.link(temporary, file);
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? new RbError(EXIT.refused, [inTheWay(file)]) : error;
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

function refusalOf(error: unknown, workspace: string): unknown {
  if (error instanceof RbError || errorCode(error) === null) return error;
  const problem: Problem = problemOf('RB982', {
    where: workspace,
    message: `the workspace cannot be written: ${systemReason(error)}. Nothing was left there.`,
    fix: 'Give a folder that this user may write to, or one that does not exist yet below such a folder.',
  });
  return new RbError(EXIT.refused, [problem], { cause: error });
}

function inTheWay(where: string): Problem {
  return problemOf('RB981', {
    where,
    message: 'it is there already, and init never writes over anything.',
    fix: 'Give another folder, or move it away; to check a workspace that there is, use doctor.',
  });
}
