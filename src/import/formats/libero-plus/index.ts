import * as z from 'zod';
import { countedEpisodes } from '../../importer/figures.ts';
import type { Imported, Importer, ImportFault, ImportInput } from '../../importer/importer.ts';
import { issueText, misread, readSourceJson } from '../../importer/read-source.ts';

const whole = z.int().min(0).max(1_000_000);
const categories = z.record(
  z.string().max(500),
  z.looseObject({ total_count: whole, success_count: whole, success_rate: z.number().nullish() }),
);

const OVERALL = /(?:^|\/)overall_results\.json$/;

/** Counts of LIBERO-plus by kind of disturbance, one file for each suite. */
export const liberoPlus: Importer = {
  format: 'libero-plus',
  title: 'LIBERO-plus: counts by kind of disturbance',
  detect: ({ text }) =>
    /^\s*\{/.test(text) && /"total_count"\s*:/.test(text) && /"success_count"\s*:/.test(text),
  read,
};

function read({ sources }: ImportInput): Imported {
  const faults: ImportFault[] = [];
  // It sums up what the files of the suites hold, and would count everything twice.
  const own = sources.filter(({ name }) => !OVERALL.test(name));
  const used = own.length === 0 ? sources : own;
  const episodes = used.flatMap((source) => {
    const parsed = categories.safeParse(readSourceJson(source));
    if (!parsed.success) throw misread(source.name, issueText(parsed.error));
    const suite = /([^/]+)\.json$/.exec(source.name)?.[1] ?? null;
    return Object.entries(parsed.data).flatMap(([category, { total_count: n, success_count: k }]) => {
      const at = `${source.name} ${category}`;
      if (k > n) faults.push({ at, message: `it has ${k} successes of ${n} episodes` });
      return countedEpisodes({ suite, task: { id: null, name: category }, at }, { k: Math.min(k, n), n });
    });
  });
  return {
    title: 'counts of LIBERO-plus by kind of disturbance',
    version: null,
    cellsBy: 'count',
    matching:
      'What stands as tasks are kinds of disturbance; the file holds counts and no episodes: nothing can be paired.',
    episodes,
    declared: [],
    figures: [],
    notes:
      own.length < sources.length && own.length > 0
        ? ['overall_results.json sums up the other files and is not counted.']
        : [],
    faults,
    config: {},
  };
}
