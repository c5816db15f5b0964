import { readClaim } from '../../../verdict/published-claim.ts';
import { countedEpisodes } from '../../importer/figures.ts';
import type { Imported, Importer, ImportFault, ImportInput } from '../../importer/importer.ts';
import { readSourceText } from '../../importer/read-source.ts';

/** `42/50` or `84.0% of 50`, in place of a file: all that is known of many published numbers. */
export const count: Importer = {
  format: 'count',
  title: 'a count, 42/50, in place of a file',
  detect: ({ text }) =>
    /^\s*(?:\d{1,9}\s*\/\s*\d{1,9}|\d{1,3}(?:\.\d{1,9})?\s*%\s*(?:of|\/)\s*\d{1,9})\s*$/.test(text),
  read,
};

/** Each episode becomes a cell of a plan. */
const MAX_EPISODES = 200_000;

function read({ sources }: ImportInput): Imported {
  const faults: ImportFault[] = [];
  const episodes = sources.flatMap((source) => {
    const claim = readClaim(readSourceText(source), source.name);
    if ('problem' in claim) {
      faults.push({
        at: source.name,
        message: `${claim.problem.message.replace(/\.$/, '')}; ${claim.problem.fix.replace(/\.$/, '')}`,
      });
      return [];
    }
    if (claim.note !== null) faults.push({ at: source.name, message: claim.note.replace(/\.$/, '') });
    if (claim.n > MAX_EPISODES) {
      faults.push({ at: source.name, message: `it says ${claim.n} episodes, more than anybody ran` });
      return [];
    }
    const task = { id: 0, name: '0' };
    return countedEpisodes({ suite: null, task, at: source.name }, { k: claim.successes, n: claim.n });
  });
  return {
    title: 'a count',
    version: null,
    cellsBy: 'count',
    matching:
      'No episode is known, only how many succeeded: nothing can be paired, and no task tells from another.',
    episodes,
    declared: [],
    figures: [],
    notes: [],
    faults,
    config: {},
  };
}
