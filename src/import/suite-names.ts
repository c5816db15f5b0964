import { withoutOdd } from '../base/odd-characters.ts';
import { byCodeUnit } from '../base/stable-json.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { Imported, ImportedEpisode } from './importer/importer.ts';

/** Longest name of a suite or text of a task. */
const MAX_NAME = 200;
const MAX_TASK = 1_000;

/** The episodes of one suite. */
export interface SuiteEpisodes {
  readonly suite: string;
  readonly episodes: readonly ImportedEpisode[];
  /** Name of the suite inside the files; null where they name none. */
  readonly told: string | null;
}

/** A name of others as everything of ours may show it. Pure. */
export function shownName(text: string, max = MAX_TASK): string {
  return withoutOdd(text, ' ').replace(/\s+/g, ' ').trim().slice(0, max);
}

/**
 * Episodes by suite, sorted by its name. A name that the user gives chooses one of several, and stands in place of a
 * single one or of none. Pure.
 */
export function bySuite(
  imported: Pick<Imported, 'episodes' | 'declared'>,
  asked: string | null,
  format: string,
): readonly SuiteEpisodes[] | Problem {
  const groups = new Map<string | null, ImportedEpisode[]>();
  for (const episode of imported.episodes) {
    const name = episode.suite === null ? null : shownName(episode.suite, MAX_NAME);
    const group = groups.get(name) ?? [];
    group.push(episode);
    groups.set(name, group);
  }
  const found = [...groups.keys()];
  if (asked !== null && !groups.has(asked) && groups.size > 1) return notThere(asked, found);
  const chosen = asked !== null && groups.has(asked) ? [asked] : found;
  return chosen
    .map((told) => ({
      suite: asked ?? (told === null || told === '' ? format : told),
      episodes: groups.get(told) ?? [],
      told,
    }))
    .toSorted((left, right) => byCodeUnit(left.suite, right.suite));
}

function notThere(asked: string, found: readonly (string | null)[]): Problem {
  return problemOf('RB907', {
    where: 'input suite',
    message: `the files hold several suites and none of this name: ${found
      .map((name) => name ?? 'unnamed')
      .join(', ')
      .slice(0, 300)}.`,
    value: asked.slice(0, 80),
    fix: 'Name one of them to import it alone, or leave the suite out to import each.',
  });
}
