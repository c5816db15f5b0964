import { join } from 'node:path';
import type { Problem } from '../../../src/errors/rb-error.ts';
import { givenFiles } from '../../../src/import/given-files.ts';
import { importedRecords } from '../../../src/import/imported-records.ts';
import { type ImportedSuite, importedSuites, isProblems } from '../../../src/import/imported-suites.ts';
import type { Imported } from '../../../src/import/importer/importer.ts';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { ImportAsked } from '../../../src/model/imported-facts.ts';
import { ROOT } from '../meta/source-files.ts';

const NOTHING_ASKED: ImportAsked = { suite: null, planned: null, initStates: null };

interface Sample {
  readonly format: string;
  readonly imported: Imported;
  readonly suites: readonly ImportedSuite[];
  readonly problems: readonly Problem[];
  readonly records: readonly EpisodeRecord[];
}

/** A file or folder below fixtures/foreign, or anywhere by an absolute path, read as the program reads it. */
export async function readSample(name: string, asked: Partial<ImportAsked> = {}): Promise<Sample> {
  const place = name.startsWith('/') ? name : join(ROOT, 'fixtures/foreign', name);
  const { sets, problems } = await givenFiles([place], null, async () => {});
  const [set, ...others] = sets;
  if (set === undefined || others.length > 0 || problems.length > 0)
    throw new Error(`one format expected: ${JSON.stringify(problems)} ${sets.length}`);
  const { format } = set.importer;
  const words = { ...NOTHING_ASKED, ...asked };
  const imported = await set.importer.read({ ...set, asked: words });
  const made = importedSuites({ format, imported, asked: words, purpose: 'adhoc' });
  if (isProblems(made)) return { format, imported, suites: [], problems: made, records: [] };
  return {
    format,
    imported,
    suites: made,
    problems: [],
    records: made.flatMap((suite) => importedRecords(suite)),
  };
}

/** Outcomes by their number, those that occur. */
export function countsOf(records: readonly Pick<EpisodeRecord, 'outcome'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of records) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** `2/3` of each task, as `suite/task`. */
export function rates(records: readonly EpisodeRecord[]): Record<string, string> {
  const tasks = new Map<string, EpisodeRecord[]>();
  for (const record of records) {
    const key = `${record.suite}/${record.taskId}`;
    tasks.set(key, [...(tasks.get(key) ?? []), record]);
  }
  return Object.fromEntries(
    [...tasks].map(([key, own]) => {
      const counts = countsOf(own);
      const k = counts['success'] ?? 0;
      return [key, `${k}/${k + (counts['failure'] ?? 0)}`];
    }),
  );
}
