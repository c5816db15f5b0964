import { countFigure, rateFigure, validOf } from '../../importer/figures.ts';
import type { Imported, ImportedEpisode, ImportInput } from '../../importer/importer.ts';
import { logLines } from '../../importer/log-lines.ts';
import { type LoggedRun, walkLog } from './walk-log.ts';

/** So many errors one behind the other are no chance: something was down. */
const OUTAGE = 3;

const AS_FAILURES = 'the tool counts errors as failures';

/** Reads the logs of one import. A suite that a log runs again is another run of the same cells. */
export function readLogs(title: string, { sources }: Pick<ImportInput, 'sources'>): Imported {
  const logs = sources.map((source) => ({ source, ...walkLog(source.name, logLines(source.file)) }));
  const episodes = logs.flatMap(({ runs }) => numbered(runs));
  return {
    title,
    version: null,
    cellsBy: null,
    matching:
      'The script runs the initial states of each task in their order from 0 on, so that an episode is told by its place in the log.',
    episodes,
    declared: [],
    figures: logs.flatMap(({ source, runs }) =>
      runs.flatMap((run, index) =>
        figuresOf(run, `${source.name}${runs.length > 1 ? ` run ${index + 1}` : ''}: `),
      ),
    ),
    notes: logs.flatMap(({ source, runs, notes }) => [
      ...(runs.length > 1 ? [severalText(source.name, runs)] : []),
      ...notes,
      ...runs.flatMap(({ episodes: own }) => outages(own)),
    ]),
    faults: logs.flatMap(({ faults }) => faults),
    config: {},
  };
}

function severalText(name: string, runs: readonly LoggedRun[]): string {
  const lines = runs.map(({ line, episodes }) => `line ${line} (${episodes.length} episodes)`);
  return `${name} holds ${runs.length} runs, which begin at ${lines.slice(0, 10).join(', ')}; a suite that runs again is a further run of each initial state.`;
}

/** Runs of one suite in one log, told apart by their number. */
function numbered(runs: readonly LoggedRun[]): ImportedEpisode[] {
  const next = new Map<string | null, number>();
  return runs.flatMap(({ suite, episodes }) => {
    const run = next.get(suite) ?? 0;
    next.set(suite, run + 1);
    return run === 0 ? episodes : episodes.map((episode) => ({ ...episode, run }));
  });
}

function figuresOf(run: LoggedRun, prefix: string): Imported['figures'] {
  const { suite, episodes, successes } = run;
  const errors = episodes.filter(({ outcome }) => outcome === 'error').length;
  const why = errors > 0 ? `${AS_FAILURES}: ${errors} here` : 'the log says something else than its counters';
  const counted = validOf(episodes);
  const last = rateFigure(
    {
      name: `${prefix}# successes`,
      suite,
      percent: (100 * successes) / episodes.length,
      within: 0,
      why,
    },
    counted,
  );
  const others = run.figures.map(({ name, value }) =>
    name === 'Overall success rate'
      ? rateFigure({ name: `${prefix}${name}`, suite, percent: value, within: 0.05, why }, counted)
      : countFigure(`${prefix}${name}`, suite, {
          told: value,
          counted: name === 'Total episodes' ? episodes.length : counted.k,
          why: 'lines of the log are missing',
        }),
  );
  return [last, ...others];
}

/** Errors one behind the other, told apart: an outage is no weakness of a policy. */
function outages(episodes: readonly ImportedEpisode[]): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at <= episodes.length; at += 1) {
    if (episodes[at]?.outcome === 'error') continue;
    if (at - from >= OUTAGE) {
      const tail = at === episodes.length ? ', the last of the log' : '';
      found.push(
        `${at - from} errors one behind the other from ${episodes[from]?.at ?? ''} to ${episodes[at - 1]?.at ?? ''}${tail}: something was down, and none of them says anything of the policy.`,
      );
    }
    from = at + 1;
  }
  return found;
}
