import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { EXIT, errorOf, type Problem, problemLine, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { fileFailure } from '../../files/problems.ts';
import { type HeldOutList, MAX_HELD_OUT_BYTES } from '../../plan/held-out-list.ts';
import type { Log } from '../../platform/ports.ts';
import type { Environment } from '../verb.ts';

/**
 * Reads one held-out file, which must be outside of the checkout and for this user's eyes alone.
 * @throws RbError RB426, RB427, RB448 or RB2xx; no message repeats what the file holds.
 */
export async function readHeldOutFile(file: string, env: Environment, log: Log): Promise<HeldOutList> {
  const place = await fs.realpath(path.resolve(file)).catch(() => path.resolve(file));
  const checkout = env.GITHUB_WORKSPACE ?? '';
  if (checkout !== '' && isInside(place, await fs.realpath(checkout).catch(() => checkout)))
    throw insideCheckout(file);
  const found = await lookAt(place);
  const problems = openToOthers(file, found, process.getuid?.() ?? null);
  const fatal = problems.filter(({ severity }) => severity === 'fatal');
  if (fatal.length > 0) throw new RbError(EXIT.refused, fatal);
  for (const problem of problems) log.warning(problemLine(problem));
  const { parseHeldOut } = await import('../../plan/held-out-file.ts');
  return parseHeldOut(await readTextCapped(place, MAX_HELD_OUT_BYTES), path.basename(file));
}

/** Who may do what with a held-out file, as the system tells it. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
  /** Permission bits of its folder. */
  readonly folderMode: number;
}

async function lookAt(place: string): Promise<Access> {
  try {
    const { mode, uid } = await fs.stat(place);
    return { mode, uid, folderMode: (await fs.stat(path.dirname(place))).mode };
  } catch (error) {
    throw fileFailure(place, 'read the file', error);
  }
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Why others than the user of this program know the list, or could put another one in its place; each with the command
 * that mends it. Root may read the file of a user, as where the host's files are mounted into a container: that is a
 * warning. Pure.
 * @param file as the user named it
 * @param own id of the user of this program; null where the system has none
 */
export function openToOthers(file: string, { mode, uid, folderMode }: Access, own: number | null): Problem[] {
  if (own === null) return [];
  const problems: Problem[] = [];
  const name = shellWord(file);
  const say = (message: string, fix: string, severity: Problem['severity'] = 'fatal'): void => {
    const where = `input heldout-file ${path.basename(file)}`;
    problems.push({ code: 'RB448', where, message, fix: `On the host: ${fix}`, severity });
  };
  if ((mode & OTHERS) !== 0)
    say(`others than its owner may open it (mode ${octal(mode)}).`, `chmod 600 ${name}`);
  if (uid !== own)
    say(
      `it belongs to another user (id ${uid}, this is ${own}), who knows the list.`,
      `chown ${own} ${name}`,
      own === 0 ? 'warning' : 'fatal',
    );
  if ((folderMode & OTHERS_WRITE) !== 0 && (folderMode & STICKY) === 0)
    say(
      `others may put another file in its place (its folder has mode ${octal(folderMode)}).`,
      `chmod 700 ${shellWord(path.dirname(file))}`,
    );
  return problems;
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function isInside(place: string, folder: string): boolean {
  const relative = path.relative(folder, place);
  // A name may begin with two dots and lie inside all the same.
  const outside = relative === '..' || relative.startsWith(`..${path.sep}`);
  return !outside && !path.isAbsolute(relative);
}

function insideCheckout(file: string): RbError {
  return errorOf('RB427', {
    where: `input heldout-file ${path.basename(file)}`,
    message: 'it lies inside the checkout, so whoever reads the repository knows the held-out cells.',
  });
}
