import { lstatSync } from 'node:fs';
import { EXIT, failure, type Problem, problemOf, type RbError } from '../../../errors/rb-error.ts';
import type { ImportSource } from '../../importer/importer.ts';

/** First bytes of a database, as vla-eval keeps its raw results since 0.3. */
export const SQLITE_HEAD = 'SQLite format 3\u0000';

/** The first release of Node whose SQLite is there without a flag and is no experiment any more in our matrix. */
const FIRST_NODE = 24;

/** Is this the store of vla-eval, by the first page, which holds the texts of the tables? Pure. */
export function looksLikeStore(text: string): boolean {
  return (
    text.startsWith(SQLITE_HEAD) && text.includes('TABLE episode_results') && text.includes('eval_metadata')
  );
}

/**
 * Why no database is opened here; null when one may be. The environment is asked here and by nobody else, so that no
 * way to a database can forget it.
 */
function storeRefusal(where: string): Problem | null {
  // What a report by workflow_run reads was made by whoever opened a pull request, and its token can write.
  if (process.env.GITHUB_EVENT_NAME === 'workflow_run')
    return problemOf('RB906', {
      where,
      message: 'this is an SQLite database, and none is opened in a job of workflow_run.',
      fix: 'Write its results as JSON in the job that measures: `vla-eval merge` makes <name>_aggregate.json of it.',
    });
  const [major] = process.versions.node.split('.');
  if (Number(major) >= FIRST_NODE) return null;
  return problemOf('RB905', {
    where,
    message: `this is an SQLite database, which Node ${process.versions.node} cannot read; nothing in it was counted.`,
    fix: `Run this with Node ${FIRST_NODE} or later, or write its results as JSON: \`vla-eval merge\` makes <name>_aggregate.json of the store of the VLA evaluation harness.`,
  });
}

/** Why a database that was named is not read: by the rules above, or since a part of it lies beside it. */
export function givenStoreProblem({ name, file }: Pick<ImportSource, 'name' | 'file'>): Problem | null {
  const rest = ['-wal', '-journal'].find((end) => {
    const stat = lstatSync(`${file}${end}`, { throwIfNoEntry: false });
    return stat !== undefined && stat.size > 0;
  });
  const refused = storeRefusal(name);
  if (refused !== null || rest === undefined) return refused;
  return problemOf('RB906', {
    where: name,
    message: `a part of this database still lies in ${name}${rest} beside it, so that episodes would be missing.`,
    fix: 'Wait until the evaluation has ended. If it was killed, open and close the database once (`sqlite3 <file> "PRAGMA wal_checkpoint(TRUNCATE)"`), or run `vla-eval merge` and give its JSON.',
  });
}

/** A database of another format than the one that was named. Pure. */
export function foreignStore(where: string): Problem {
  return problemOf('RB905', {
    where,
    message: 'this is an SQLite database, which is no file of the format that --format names.',
    fix: 'The store of the VLA evaluation harness is read with --format vla-eval or none.',
  });
}

/** @throws RbError RB905 or RB906 (exit 3) where no database is opened. */
export function requireStores(where: string): void {
  const refused = storeRefusal(where);
  if (refused !== null) throw failure(EXIT.refused, refused);
}

/** Says an error that a database was not opened, rather than that something is wrong with it? Pure. */
export function isUnopened({ problems }: RbError): boolean {
  return problems.some(({ code }) => code === 'RB905' || code === 'RB906');
}
