import type { Bound, Qualification } from '../model/qualification.ts';
import { few } from '../verdict/few.ts';
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
  /** How much of its evidence was looked at now: the bundles of its controls judged again, or nothing. */
  readonly checked: 'controls' | 'nothing';
  /** Why no run would rely on it though it says that it passed, in words; empty as far as was looked. */
  readonly faults: readonly string[];
}

/** What a look at the evidence of a qualification came to. */
type EvidenceLook = Pick<Standing, 'checked' | 'faults'>;

const NOT_LOOKED_AT: EvidenceLook = { checked: 'nothing', faults: [] };

/** The newest qualification of each target, skill runtime and suite, by suite; nothing of their evidence is known. Pure. */
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
      ...NOT_LOOKED_AT,
    }))
    .toSorted((left, right) => (left.suite < right.suite ? -1 : Number(left.suite > right.suite)));
}

/** A standing without its pair, as `libero_spatial qualified 3 hours ago by this version; …`. Pure; `nowMs` for the age. */
export function standingText(standing: Standing, nowMs: number): string {
  const { suite, failed, faults } = standing;
  const ago = `${ageText(Math.max(0, nowMs - Date.parse(standing.qualifiedAt)))} ago`;
  if (!standing.qualified) return `${suite} did not pass ${ago} (${failed.join(', ')})`;
  if (faults.length > 0)
    return `${suite} does not count as qualified: what was kept ${ago} is not what its own evidence says (${few(faults)})`;
  if (standing.byThisProgram) return `${suite} qualified ${ago} by this version${lookText(standing)}`;
  return `${suite} qualified ${ago} by another version or build (${standing.version}), which does not count for this one`;
}

/** A run damages the evidence again before it relies on it, which takes too long for a look. */
function lookText({ checked }: EvidenceLook): string {
  return checked === 'controls'
    ? '; its controls were judged again, its damaged evidence was not checked'
    : '; its evidence was not checked';
}
