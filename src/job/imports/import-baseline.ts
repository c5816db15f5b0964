import { givenFiles } from '../../import/given-files.ts';
import { importedRecords } from '../../import/imported-records.ts';
import { importedSuites, isProblems } from '../../import/imported-suites.ts';
import { breather } from '../../platform/breathe.ts';
import type { RecordedBaseline } from '../../verdict/baseline.ts';

/**
 * Results of another tool as the episodes of a baseline, read where they lie. Null for a path that holds none; a string
 * says why they cannot be used.
 * @param suite that is asked for: of several it is chosen, and where the files name none it is theirs. Null: any.
 * @throws RbError RB901 and RB902 for files that cannot be read.
 */
export async function importedBaseline(
  given: string,
  suite: string | null,
): Promise<Omit<RecordedBaseline, 'name'> | string | null> {
  const { sets, problems } = await givenFiles([given], null, breather());
  const [set, ...others] = sets;
  if (set === undefined || problems.length > 0) return null;
  if (others.length > 0) return 'it holds results of several tools; name those of one';
  const { format } = set.importer;
  const nothingAsked = { suite: null, planned: null, initStates: null };
  const imported = await set.importer.read({ ...set, asked: nothingAsked });
  const told = new Set(imported.episodes.map((episode) => episode.suite));
  const asked = { ...nothingAsked, suite: told.size === 1 && told.has(null) ? suite : null };
  const made = importedSuites({ format, imported, asked, purpose: 'adhoc' });
  if (isProblems(made))
    return made
      .map(({ where, message }) => `${where}: ${message}`)
      .join(' ')
      .slice(0, 300);
  const chosen = made.find(({ plan }) => plan.suite === suite);
  const used = chosen === undefined ? made : [chosen];
  const [first] = used;
  if (first === undefined) return 'it holds no episode';
  return {
    records: used.flatMap((each) => importedRecords(each)),
    fingerprint: first.fingerprint,
    cellsBy: first.plan.cellsBy,
  };
}
