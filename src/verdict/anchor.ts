import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import type { Interval } from '../stats/wilson.ts';
import type { Baseline } from './comparison.ts';
import { type GateResult, nonInferiorityGate } from './gates.ts';
import { comparisonReasons } from './integrity.ts';
import { differenceOfPairs } from './paired-difference.ts';
import { countPairs, type Pairing, pairEpisodes } from './pairing.ts';
import { plannedPairs } from './record-checks.ts';
import { DEFAULT_LIMITS } from './tally.ts';
import { anchorMargin, type Rules } from './thresholds.ts';

/** The candidate's cells beside those of the anchor. */
export interface AnchorPairs {
  readonly name: string;
  readonly pairing: Pairing;
}

/** What a report says about the anchor. Differences as rates. */
export interface AnchorSummary {
  readonly name: string;
  readonly delta: number;
  /** 95 %. */
  readonly interval: Interval | null;
  readonly regressed: number;
  readonly fixed: number;
  readonly pairs: number;
  /** Largest allowed drop. */
  readonly margin: number;
}

/**
 * An anchor that is prepared like a baseline, for a plan.
 * @param named it was named by a person: what is wrong with it is a reason and not a note.
 */
export interface GivenAnchor {
  readonly baseline: Baseline;
  readonly named: boolean;
}

/** The anchor beside a plan's records, and what to say where there is none. */
interface JoinedAnchor {
  readonly anchor: AnchorPairs | null;
  /** Make the run INVALID. */
  readonly unfit: readonly Reason[];
  readonly notes: readonly Reason[];
}

/**
 * Joins the anchor with a plan. One that was found by itself and cannot be compared (another protocol, other cells) is said
 * and does not decide: the next accepted run of this protocol becomes the anchor. Pure.
 */
export function anchorPairs(
  plan: Plan,
  records: readonly EpisodeRecord[],
  { baseline, named }: GivenAnchor,
): JoinedAnchor {
  if (baseline.kind === 'none') return { anchor: null, unfit: [], notes: [] };
  if (baseline.kind !== 'records')
    return unusable(baseline.name, comparisonReasons(baseline, DEFAULT_LIMITS), named);
  const { name, differing } = baseline;
  const pairing = pairEpisodes({
    planned: plannedPairs(plan),
    candidate: records.filter(({ arm }) => arm === 'candidate'),
    baseline: baseline.records,
    timeoutsAs: plan.timeoutsAs,
  });
  const reasons = comparisonReasons({ kind: 'paired', name, pairing, differing }, DEFAULT_LIMITS);
  return reasons.length === 0
    ? { anchor: { name, pairing }, unfit: [], notes: [] }
    : unusable(name, reasons, named);
}

function unusable(name: string, reasons: readonly Reason[], named: boolean): JoinedAnchor {
  const said = reasons.map(({ code, text }) => ({ code: `anchor_${code}`, text: `Anchor: ${text}` }));
  if (named) return { anchor: null, unfit: said, notes: [] };
  const text = `The change since the anchor ${name} is not known, so small drops over many merges do not show here. ${reasons.map((reason) => reason.text).join(' ')}`;
  return { anchor: null, unfit: [], notes: [{ code: 'anchor_not_comparable', text }] };
}

/** The gate of the anchor: the baseline's own, with the margin of many merges. */
export function anchorGate(anchor: AnchorPairs | null, rules: Rules): GateResult[] {
  const margin = anchorMargin(rules);
  const difference =
    anchor === null ? null : differenceOfPairs(anchor.pairing.pairs, `the anchor ${anchor.name}`, margin);
  if (difference === null) return [];
  const { reason, ...gate } = nonInferiorityGate(difference, margin);
  return [
    {
      ...gate,
      gate: 'anchor',
      reason: { code: `anchor_${reason.code}`, text: `Since the anchor: ${reason.text}` },
    },
  ];
}

/** Figures of the anchor for a report; null without pairs. */
export function summariseAnchor(anchor: AnchorPairs | null, rules: Rules): AnchorSummary | null {
  const margin = anchorMargin(rules);
  const pairs = anchor?.pairing.pairs ?? [];
  const difference = differenceOfPairs(pairs, anchor?.name ?? '', margin);
  if (anchor === null || difference === null) return null;
  const { regressed, fixed, n } = countPairs(pairs);
  return {
    name: anchor.name,
    delta: difference.delta,
    interval: difference.interval,
    regressed,
    fixed,
    pairs: n,
    margin,
  };
}
