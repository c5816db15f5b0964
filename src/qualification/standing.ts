import type { Bound, Qualification } from '../model/qualification.ts';
import { ageText, failedParts, newestAbout, type Subject } from './freshness.ts';

/** The newest qualification of a target, skill runtime and suite, as `doctor --json` and `status --json` print it. */
export interface Standing extends Subject {
  readonly id: string;
  readonly qualified: boolean;
  /** UTC, ISO 8601. */
  readonly qualifiedAt: string;
  /** Version of the program that made it. */
  readonly version: string;
  /** It was this very program: one of another version or build does not count. */
  readonly byThisProgram: boolean;
  /** What did not come out as it should; empty when it passed. */
  readonly failed: readonly string[];
}

/** The newest qualification of each target, skill runtime and suite, by suite. Pure. */
export function standingsOf(kept: readonly Qualification[], tool: Bound['tool']): Standing[] {
  return kept
    .filter((each) => newestAbout(kept, each.bound) === each)
    .map(({ id, qualified, qualifiedAt, bound, ...parts }) => ({
      suite: bound.suite,
      target: bound.target,
      skillruntime: bound.skillruntime,
      id,
      qualified,
      qualifiedAt,
      version: bound.tool.version,
      byThisProgram: bound.tool.version === tool.version && bound.tool.distHash === tool.distHash,
      failed: qualified ? [] : failedParts({ ...parts, id, qualified, qualifiedAt, bound }),
    }))
    .toSorted((left, right) => (left.suite < right.suite ? -1 : Number(left.suite > right.suite)));
}

/** A standing without its pair, as `libero_spatial qualified 3 hours ago by this version`. Pure; `nowMs` for the age. */
export function standingText({ suite, failed, ...standing }: Standing, nowMs: number): string {
  const ago = `${ageText(Math.max(0, nowMs - Date.parse(standing.qualifiedAt)))} ago`;
  if (!standing.qualified) return `${suite} did not pass ${ago} (${failed.join(', ')})`;
  if (standing.byThisProgram) return `${suite} qualified ${ago} by this version`;
  return `${suite} qualified ${ago} by another version or build (${standing.version}), which does not count for this one`;
}
