import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Arm, Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { pairKey } from './pairing.ts';

/** The order in which episodes began, beside the planned one. */
interface ObservedOrder {
  /** Episodes whose begin is known. */
  readonly known: number;
  /** The fewest episodes that would have to be moved to turn one order into the other. */
  readonly moved: number;
  /** Pairs of which both begins are known and differ, by the arm that began. */
  readonly first: Readonly<Record<Arm, number>>;
}

/**
 * Compares the planned order with the one in which the deciding sessions began. Episodes that began at the same moment,
 * as far as the runtime's stamps tell, count as in order. Pure.
 */
export function observedOrder(records: readonly EpisodeRecord[]): ObservedOrder {
  const begun = records.flatMap((record) => {
    const at = record.startedAt === null ? Number.NaN : Date.parse(record.startedAt);
    return Number.isFinite(at) ? [{ record, at }] : [];
  });
  begun.sort((left, right) => left.at - right.at || left.record.position - right.record.position);
  const positions = begun.map(({ record }) => record.position);
  return { known: begun.length, moved: positions.length - longestRise(positions), first: firstArms(begun) };
}

/** Length of the longest rising part, whose members need not be neighbours. */
function longestRise(values: readonly number[]): number {
  const ends: number[] = [];
  for (const value of values) {
    // The usual case first: a search through thousands of ends for each would be felt.
    if (value > (ends.at(-1) ?? -1)) ends.push(value);
    else ends[ends.findIndex((end) => end >= value)] = value;
  }
  return ends.length;
}

function firstArms(
  begun: readonly { readonly record: EpisodeRecord; readonly at: number }[],
): ObservedOrder['first'] {
  const first = { candidate: 0, baseline: 0 };
  const earlier = new Map<string, { readonly arm: Arm; readonly at: number }>();
  for (const { record, at } of begun) {
    const key = pairKey(record);
    const other = earlier.get(key);
    if (other === undefined) earlier.set(key, { arm: record.arm, at });
    else if (other.arm !== record.arm && other.at < at) first[other.arm] += 1;
  }
  return first;
}

/** Fewer pairs can hardly be balanced, whatever is done. */
const FEW_PAIRS = 8;

/** A warm cache or a busy hour favours the arm that comes second in most pairs; the plan lets each come first in half. */
export function orderWarnings(plan: Plan, records: readonly EpisodeRecord[]): Reason[] {
  if (plan.order.scheme !== 'abba' || !plan.arms.includes('baseline')) return [];
  const { first } = observedOrder(records);
  const pairs = first.candidate + first.baseline;
  const most = Math.max(first.candidate, first.baseline);
  if (pairs < FEW_PAIRS || most <= 0.75 * pairs) return [];
  const arm: Arm = first.candidate > first.baseline ? 'candidate' : 'baseline';
  const text = `The ${arm} began in ${most} of ${pairs} pairs, although the plan lets each arm begin in half of them: whatever changed over time may look like a difference between the arms.`;
  return [{ code: 'order_unbalanced', text }];
}
