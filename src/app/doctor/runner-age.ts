import { type Problem, problemOf } from '../../errors/rb-error.ts';
import type { RunnerFacts } from '../../platform/runner-facts.ts';

const DAY_MS = 86_400_000;
/** A runner has to take up each release within this time (GitHub's changelog, 2026). */
const GRACE_DAYS = 30;
/** GitHub registers no older runner. */
const OLDEST = [2, 329, 0] as const;

/** Whole days since the version was built. Pure. */
export function runnerDays({ builtMs }: RunnerFacts, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - builtMs) / DAY_MS));
}

/** RB824 for a runner that GitHub may send no jobs any more. Pure. */
export function runnerProblems(runner: RunnerFacts | null, nowMs: number): Problem[] {
  if (runner === null) return [];
  const days = runnerDays(runner, nowMs);
  const refused = runner.version !== null && isBefore(runner.version);
  if (days <= GRACE_DAYS && !refused) return [];
  return [
    problemOf('RB824', {
      where: 'the GitHub Actions runner of this machine',
      message: `it is version ${runner.version ?? 'unknown'}, built ${days} days ago.`,
      consequence: refused
        ? `GitHub registers no runner older than ${OLDEST.join('.')}, and sends it no job.`
        : `GitHub sends no job to a runner that has not taken up a release ${GRACE_DAYS} days after it came out; such jobs wait for a day and are cancelled.`,
    }),
  ];
}

function isBefore(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of OLDEST.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
