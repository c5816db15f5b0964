import type { Decision, Verdict } from '../model/verdict.ts';

/** The worse of two comes first. */
const WORST_FIRST: readonly Verdict[] = ['INVALID', 'FAIL', 'INCONCLUSIVE', 'PASS'];

/** The verdict on several suites: the worst of theirs. Null for none. */
export function overallVerdict(decisions: readonly Decision[]): Verdict | null {
  return WORST_FIRST.find((verdict) => decisions.some((decision) => decision.verdict === verdict)) ?? null;
}
