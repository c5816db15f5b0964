import * as z from 'zod';
import { rateFigure, validOf } from '../../importer/figures.ts';
import type { Imported, ImportFault, ImportSource } from '../../importer/importer.ts';
import { issueText, misread, readSourceJson } from '../../importer/read-source.ts';
import { row, rowEpisode } from './rows.ts';

const sweep = z.looseObject({
  benchmark_name: z.string().max(500),
  success_rate: z.number().nullish(),
  rows: z.array(row).max(1_000_000),
});

/** The summary of a sweep, whose rate counts errors as failures. */
export function fromSweep(sources: readonly ImportSource[]): Imported {
  const faults: ImportFault[] = [];
  const figures: Imported['figures'][number][] = [];
  const episodes = sources.flatMap((source) => {
    const parsed = sweep.safeParse(readSourceJson(source));
    if (!parsed.success) throw misread(source.name, issueText(parsed.error));
    const { benchmark_name: suite, rows, success_rate: rate } = parsed.data;
    const own = rows.map((each, at) => rowEpisode(each, suite, `${source.name} rows[${at}]`, faults));
    const lost = own.filter(({ outcome }) => outcome !== 'success' && outcome !== 'failure').length;
    const why =
      lost > 0
        ? `it counts ${lost} of its rows that ended in an error as failed`
        : 'its rows give another rate';
    if (rate != null)
      figures.push(
        rateFigure({ name: 'success_rate', suite, percent: 100 * rate, within: 0.006, why }, validOf(own)),
      );
    return own;
  });
  return {
    title: 'summary of a PhyAgentOS sweep',
    version: null,
    cellsBy: null,
    matching: 'Rows name task and initial state.',
    episodes,
    declared: [],
    figures,
    notes: [],
    faults,
    config: {},
  };
}
