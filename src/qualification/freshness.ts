import { boundDifferences, isAbout } from './bound.ts';
import type { Bound, Qualification } from './qualification.ts';

/** Two clocks of one host may differ by an adjustment, not by more. */
const CLOCK_SLACK_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface FreshnessRequest {
  /** All that the host keeps, in any order. */
  readonly kept: readonly Qualification[];
  readonly bound: Bound;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

export type Freshness =
  | { readonly kind: 'fresh'; readonly qualification: Qualification }
  /** `code` says which: none at all, for something else, too old, or not passed. */
  | { readonly kind: 'none'; readonly code: 'RB371' | 'RB372' | 'RB373' | 'RB374'; readonly why: string };

/**
 * The qualification that a run of `bound` may rely on. Only the newest one of its target, skill runtime and suite counts:
 * an older one that passed says nothing once a later one did not. Pure.
 */
export function freshQualification({ kept, bound, nowMs, maxAgeMs }: FreshnessRequest): Freshness {
  const newest = kept
    .filter((each) => isAbout(each.bound, bound))
    .toSorted((left, right) => Date.parse(right.qualifiedAt) - Date.parse(left.qualifiedAt))[0];
  if (newest === undefined) return { kind: 'none', code: 'RB371', why: otherwise(kept, bound) };
  const none = (code: 'RB372' | 'RB373' | 'RB374', why: string): Freshness => ({
    kind: 'none',
    code,
    why: `qualification ${newest.id}: ${why}`,
  });
  if (!newest.qualified) return none('RB374', `it did not pass (${failedParts(newest).join(', ')})`);
  const differences = boundDifferences(newest.bound, bound);
  if (differences.length > 0) return none('RB372', differences.join('; '));
  const ageMs = nowMs - Date.parse(newest.qualifiedAt);
  if (ageMs < -CLOCK_SLACK_MS)
    return none('RB373', `it is dated ${newest.qualifiedAt}, which is still to come`);
  if (ageMs > maxAgeMs)
    return none('RB373', `it is ${ageText(ageMs)} old, and qualification-age allows ${ageText(maxAgeMs)}`);
  return { kind: 'fresh', qualification: newest };
}

/** Names of the controls and mutants that did not come out as they should. Pure. */
export function failedParts({ controls, mutants }: Qualification): string[] {
  const parts = [
    ...controls.filter(({ state }) => state !== 'ok').map(({ name, state }) => `${name} ${state}`),
    ...mutants.filter(({ ok }) => !ok).map(({ name }) => `${name} not noticed`),
  ];
  return parts.length === 0 ? ['it has no controls'] : parts;
}

function otherwise(kept: readonly Qualification[], { suite, target, skillruntime }: Bound): string {
  const others = [...new Set(kept.map(({ bound }) => `${bound.suite} on ${bound.target}`))];
  const known = others.length === 0 ? '' : `; there is one of ${others.slice(0, 5).join(', ')}`;
  return `none of ${suite} on ${target} with ${skillruntime} is kept on this host${known}`;
}

/** Whole days, hours or minutes, rounded down so that nothing seems younger than its limit by rounding up. */
function ageText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  return `${Math.floor(ms / 60_000)} minutes`;
}
