import { sha256Of } from '../base/sha256.ts';
import { idSlug } from '../plan/ids.ts';

/** GitHub allows more; a name this long stays readable and leaves room for a suffix. */
const MAX_NAME = 200;
const FORBIDDEN = /["<>:|*?\r\n\\/]+/g;

interface ArtifactNaming {
  /** Input `artifact-name`; null builds the name from the rest. */
  readonly given: string | null;
  readonly suites: readonly string[];
  /** GITHUB_RUN_ATTEMPT. */
  readonly attempt: number;
  /** What tells this job from the others of a matrix: job id and shard. */
  readonly jobKey: string;
}

/**
 * `rollout-bench-libero_spatial-a1-bench-1of2`: suite, attempt and job are always part of it, because names are unique
 * per workflow run and a matrix or a re-run would collide. Characters GitHub forbids become `-`.
 */
export function artifactName({ given, suites, attempt, jobKey }: ArtifactNaming): string {
  const base = given === null ? 'rollout-bench' : given.replace(FORBIDDEN, '-').trim();
  const suite = suites.length > 3 ? `${suites.length}-suites` : suites.map(idSlug).join('-');
  const tail = [suite, `a${attempt}`, idSlug(jobKey)].filter((part) => part !== '').join('-');
  const name = `${base === '' ? 'rollout-bench' : base.slice(0, 80)}-${tail}`;
  if (name.length <= MAX_NAME) return name;
  // What tells two names apart stands at their end.
  const hash = sha256Of(name).slice(0, 16);
  return `${name.slice(0, MAX_NAME - 17)}-${hash}`;
}
