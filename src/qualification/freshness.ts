import type { Bound, Qualification } from '../model/qualification.ts';
import { boundDifferences, isAbout } from './bound.ts';

/** Two clocks of one host may differ by an adjustment, not by more. */
const CLOCK_SLACK_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What a qualification is about; known before the target is asked anything. */
export type Subject = Pick<Bound, 'suite' | 'target' | 'skillruntime'>;

interface KeptHere {
  /** All that the host keeps, in any order. */
  readonly kept: readonly Qualification[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly maxAgeMs: number;
}

interface FreshnessRequest extends KeptHere {
  readonly bound: Bound;
}

type Freshness =
  | { readonly kind: 'fresh'; readonly qualification: Qualification }
  /** `code` says which: none at all, for something else, too old, or not passed. */
  | { readonly kind: 'none'; readonly code: 'RB371' | 'RB372' | 'RB373' | 'RB374'; readonly why: string };

export type NotFresh = Extract<Freshness, { kind: 'none' }>;

/**
 * The qualification that a run of `bound` may rely on. Only the newest one of its target, skill runtime and suite counts:
 * an older one that passed says nothing once a later one did not. Pure.
 */
export function freshQualification({ bound, ...here }: FreshnessRequest): Freshness {
  const newest = newestAbout(here.kept, bound);
  if (newest?.qualified === true) {
    const differences = boundDifferences(newest.bound, bound);
    if (differences.length > 0) return none('RB372', newest, differences.join('; '));
  }
  const hopeless = noneFor({ subject: bound, ...here });
  if (hopeless !== null) return hopeless;
  // `noneFor` answers when there is none.
  if (newest === undefined) throw new Error('no qualification, and no reason why');
  return { kind: 'fresh', qualification: newest };
}

/** Why no qualification can count, whatever the target says of itself; null: one may. Pure. */
export function noneFor({
  kept,
  subject,
  nowMs,
  maxAgeMs,
}: KeptHere & { readonly subject: Subject }): NotFresh | null {
  const newest = newestAbout(kept, subject);
  if (newest === undefined) return { kind: 'none', code: 'RB371', why: otherwise(kept, subject) };
  if (!newest.qualified) return none('RB374', newest, `it did not pass (${failedParts(newest).join(', ')})`);
  const ageMs = nowMs - Date.parse(newest.qualifiedAt);
  if (ageMs < -CLOCK_SLACK_MS)
    return none('RB373', newest, `it is dated ${newest.qualifiedAt}, which is still to come`);
  if (ageMs <= maxAgeMs) return null;
  return none(
    'RB373',
    newest,
    `it is ${ageText(ageMs)} old, and qualification-age allows ${ageText(maxAgeMs)}`,
  );
}

/** The newest qualification of a target, skill runtime and suite, whether it passed or not. Pure. */
export function newestAbout(kept: readonly Qualification[], subject: Subject): Qualification | undefined {
  return kept
    .filter((each) => isAbout(each.bound, subject))
    .toSorted((left, right) => Date.parse(right.qualifiedAt) - Date.parse(left.qualifiedAt))[0];
}

function none(code: 'RB372' | 'RB373' | 'RB374', { id }: Qualification, why: string): NotFresh {
  return { kind: 'none', code, why: `qualification ${id}: ${why}` };
}

/** Was a qualification made before `at`, as far as two readings of a clock can tell? Both UTC, ISO 8601. Pure. */
export function isDatedBefore(qualifiedAt: string, at: string): boolean {
  return Date.parse(qualifiedAt) <= Date.parse(at) + CLOCK_SLACK_MS;
}

/** Names of the controls and mutants that did not come out as they should. Pure. */
export function failedParts({ controls, mutants }: Qualification): string[] {
  const parts = [
    ...controls.filter(({ state }) => state !== 'ok').map(({ name, state }) => `${name} ${state}`),
    ...mutants.filter(({ ok }) => !ok).map(({ name }) => `${name} not noticed`),
  ];
  return parts.length === 0 ? ['it has no controls'] : parts;
}

function otherwise(kept: readonly Qualification[], { suite, target, skillruntime }: Subject): string {
  const others = [...new Set(kept.map(({ bound }) => `${bound.suite} on ${bound.target}`))];
  const known = others.length === 0 ? '' : `; there is one of ${others.slice(0, 5).join(', ')}`;
  return `none of ${suite} on ${target} with ${skillruntime} is kept on this host${known}`;
}

/** Whole days, hours or minutes, rounded down so that nothing seems younger than its limit by rounding up. Pure. */
export function ageText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  const minutes = Math.floor(ms / 60_000);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
