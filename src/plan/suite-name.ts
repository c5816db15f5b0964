import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { PlannedTask } from './discovery.ts';
import { benchmarkOf, KNOWN_SUITES, suiteDefaults } from './suite-defaults.ts';

/** RB340: only a session can tell the tasks of a suite, because the server lists those of another one. Pure. */
export function unlistedSuite(suite: string, described: string | null): Problem {
  const spelling = KNOWN_SUITES.includes(suite)
    ? ''
    : `Check the name, the LIBERO suites are ${KNOWN_SUITES.join(', ')}. `;
  return problemOf('RB340', {
    where: `suite ${suite}`,
    message:
      described === null
        ? 'the server cannot describe its tasks now, and only a session can mend that.'
        : `the server lists the tasks of ${described} now, and only a session of ${suite} can change that.`,
    fix: `${spelling}\`run\` does that by itself. To plan without a run, give a tasks-file with the languages.`,
  });
}

/**
 * Is a name most likely mistyped: a suite of LIBERO that is neither a known one nor the one that the server describes, the
 * target is configured for, or a tasks-file has? Pure.
 */
export function isDoubtfulSuite(suite: string, said: readonly (string | null)[]): boolean {
  if (KNOWN_SUITES.includes(suite) || said.includes(suite)) return false;
  return (
    said.some((name) => name !== null && benchmarkOf(name) === 'libero') || benchmarkOf(suite) === 'libero'
  );
}

/** Ids of the tasks of a known suite, without their languages; null for an unknown suite or a task that it lacks. Pure. */
export function tasksByName(suite: string, wanted: readonly number[] | 'all'): readonly PlannedTask[] | null {
  const known = suiteDefaults(suite);
  if (known === null) return null;
  const ids = wanted === 'all' ? Array.from({ length: known.tasks }, (_, id) => id) : wanted;
  return ids.some((id) => id >= known.tasks) ? null : ids.map((taskId) => ({ taskId, language: '' }));
}
