import { countedEpisodes } from '../../importer/figures.ts';
import type { Imported, ImportFault } from '../../importer/importer.ts';
import type { SourceValue } from '../../importer/read-source.ts';
import type { Metrics } from './layouts.ts';

/** What a 32-bit percentage may be off by. */
const DUST = 1e-3;

/** A rate and the number of its episodes: no episode is told, and no initial state. */
export function fromMetrics(files: readonly SourceValue<Metrics>[]): Imported {
  const faults: ImportFault[] = [];
  const episodes = files.flatMap(({ source, value }) => {
    const { pc_success: percent, n_episodes: n } = value;
    const k = Math.round((percent * n) / 100);
    if (Math.abs((100 * k) / n - percent) > DUST)
      faults.push({
        at: source.name,
        message: `no whole number of successes in ${n} episodes gives ${percent}%`,
      });
    const task = { id: 0, name: value.task ?? value.env };
    return countedEpisodes({ suite: value.env, task, at: source.name }, { k, n });
  });
  return {
    title: 'metrics.json of LeRobot: a rate and its count',
    version: null,
    cellsBy: 'count',
    matching: 'The file holds no episodes: only counts can be compared.',
    episodes,
    declared: [],
    figures: [],
    notes: [],
    faults,
    config: {},
  };
}
