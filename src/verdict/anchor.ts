import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { givenPercent, points } from '../stats/rounding.ts';
import type { Interval } from '../stats/wilson.ts';
import type { Baseline } from './comparison.ts';
import { type GateResult, nonInferiorityGate, pText } from './gates.ts';
import { comparisonReasons } from './integrity.ts';
import { differenceOfPairs } from './paired-difference.ts';
import { pairedWith } from './paired-with.ts';
import { countPairs, type Pairing } from './pairing.ts';
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
  if (baseline.kind === 'published') {
    const text = `Of ${baseline.name} only counts can be compared, and an anchor needs the same cells.`;
    return unusable(baseline.name, [{ code: 'unpaired', text }], named);
  }
  if (baseline.kind !== 'records')
    return unusable(baseline.name, comparisonReasons(baseline, DEFAULT_LIMITS), named);
  const { name, differing } = baseline;
  const { pairing } = pairedWith(plan, records, baseline);
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

/**
 * The gate of the anchor, whose margin is that of many merges. It is there for what creeps: FAIL where a drop shows and the
 * margin is not ruled out, and no PASS of the run where the drop that was seen is the margin or more. A smaller one that
 * few cells cannot rule out is noted and holds nothing back, or runs of few cells could never become a baseline.
 * @param looks of a run that may have ended where its data said so: its p counts as many times (Bonferroni).
 */
export function anchorGate(anchor: AnchorPairs | null, rules: Rules, looks = 1): GateResult[] {
  const margin = anchorMargin(rules);
  const found =
    anchor === null ? null : differenceOfPairs(anchor.pairing.pairs, `the anchor ${anchor.name}`, margin);
  if (found === null) return [];
  const difference = {
    ...found,
    worse: Math.min(1, looks * found.worse),
    marginal: Math.min(1, looks * found.marginal),
  };
  const { reason, ...judged } = nonInferiorityGate(difference, margin);
  const said = { code: `anchor_${reason.code}`, text: `Since the anchor: ${reason.text}` };
  const gate: GateResult = { ...judged, gate: 'anchor', reason: said };
  if (gate.result !== 'inconclusive' || found.delta <= -margin + DUST) return [gate];
  const measured = `${points(found.delta)} points against the anchor ${anchor?.name}`;
  const text = `${measured}: less than the ${givenPercent(margin)} points that many merges may lose together, though a larger drop is not ruled out (${pText(difference.marginal)}). This holds nothing back.`;
  return [{ ...gate, result: 'noted', notes: [...gate.notes, { code: 'anchor_not_ruled_out', text }] }];
}

/** A drop of exactly the margin is one, also where its last binary digit says less. */
const DUST = 1e-9;

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
