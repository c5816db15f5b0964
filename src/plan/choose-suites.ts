import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { TargetFacts } from './pairs.ts';

interface SuiteChoice {
  readonly suites: readonly string[];
  /** RB313 when neither the user nor the target names a suite. */
  readonly problems: readonly Problem[];
}

/** The suites to benchmark: those the user names, else the one that the target's config has. */
export function chooseSuites(given: readonly string[] | null, target: TargetFacts): SuiteChoice {
  if (given !== null) return { suites: given, problems: [] };
  const configured = target.config.benchmark_name;
  if (typeof configured === 'string' && configured !== '') return { suites: [configured], problems: [] };
  return {
    suites: [],
    problems: [
      problemOf('RB313', {
        where: 'input suite',
        message: `no suite is given, and the target ${target.id} has no benchmark_name.`,
      }),
    ],
  };
}
