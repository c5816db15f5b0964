import type { Imported, Importer, ImportInput } from '../../importer/importer.ts';
import { issueText, misread, readSourceJson, type SourceValue } from '../../importer/read-source.ts';
import { type ByEpisode, type ByTask, byEpisode, byTask, type Metrics, metrics } from './layouts.ts';
import { fromEpisodes } from './read-episodes.ts';
import { fromMetrics } from './read-metrics.ts';
import { fromTasks } from './read-tasks.ts';

/** `eval_info.json` of lerobot-eval, of every layout so far, and the metrics.json that LeRobot's CI makes of it. */
export const lerobot: Importer = {
  format: 'lerobot',
  title: 'LeRobot: eval_info.json',
  detect: ({ text }) =>
    /^\s*\{/.test(text) &&
    (/"per_task"\s*:\s*\[/.test(text) && /"(?:task_group|overall|per_group)"\s*:/.test(text)
      ? true
      : /"per_episode"\s*:\s*\[[^\]]{0,400}"episode_ix"|"per_episode"\s*:\s*\[\s*\]/.test(text) ||
        (/"pc_success"\s*:/.test(text) && /"env"\s*:/.test(text) && /"n_episodes"\s*:/.test(text))),
  read,
};

function read(input: ImportInput): Imported {
  const tasks: SourceValue<ByTask>[] = [];
  const episodes: SourceValue<ByEpisode>[] = [];
  const rates: SourceValue<Metrics>[] = [];
  for (const source of input.sources) {
    const value = readSourceJson(source);
    const read = layoutOf(value, source.name);
    if (read.layout === 'tasks') tasks.push({ source, value: read.value });
    else if (read.layout === 'episodes') episodes.push({ source, value: read.value });
    else rates.push({ source, value: read.value });
  }
  const kinds = [tasks, episodes, rates].filter(({ length }) => length > 0);
  if (kinds.length > 1) {
    const names = kinds.map((kind) => kind[0]?.source.name ?? '').join(' and ');
    throw misread(names, 'they are of different layouts of LeRobot; import them one by one');
  }
  if (tasks.length > 0) return fromTasks(tasks, input.asked);
  return episodes.length > 0 ? fromEpisodes(episodes, input.asked) : fromMetrics(rates);
}

type Layout =
  | { readonly layout: 'tasks'; readonly value: ByTask }
  | { readonly layout: 'episodes'; readonly value: ByEpisode }
  | { readonly layout: 'metrics'; readonly value: Metrics };

function layoutOf(value: unknown, name: string): Layout {
  const has = (key: string): boolean =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  if (has('per_task')) {
    const parsed = byTask.safeParse(value);
    if (parsed.success) return { layout: 'tasks', value: parsed.data };
    throw misread(name, issueText(parsed.error));
  }
  if (has('per_episode')) {
    const parsed = byEpisode.safeParse(value);
    if (parsed.success) return { layout: 'episodes', value: parsed.data };
    throw misread(name, issueText(parsed.error));
  }
  const parsed = metrics.safeParse(value);
  if (parsed.success) return { layout: 'metrics', value: parsed.data };
  throw misread(name, issueText(parsed.error));
}
