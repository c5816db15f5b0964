import type { Plan } from '../model/plan.ts';
import type { LaneHolder } from './lane-holder.ts';

export type Purpose = Plan['purpose'];

/** From the one that waits for everybody to the one that waits for nobody. */
const RANKS: readonly Purpose[] = ['schedule', 'adhoc', 'pr', 'release'];

/**
 * Purposes that a run lets pass: of those that were named only higher ones, so that no two runs ever yield to each
 * other. Pure.
 * @param named null: a pull request passes a scheduled run, and nobody anybody else.
 */
export function yieldsTo(purpose: Purpose, named: readonly Purpose[] | null): readonly Purpose[] {
  const wanted: readonly Purpose[] = named ?? (purpose === 'schedule' ? ['pr'] : []);
  return RANKS.filter((each) => wanted.includes(each) && RANKS.indexOf(each) > RANKS.indexOf(purpose));
}

/** Somebody in the line before the lane. */
export interface Waiter {
  /** Of its ticket, in the order of arrival. */
  readonly name: string;
  /** Null when it did not say who it is. */
  readonly holder: LaneHolder | null;
}

/** Does the first let the second pass? Pure. */
export function letsPass(first: LaneHolder | null, second: LaneHolder | null): boolean {
  return second?.purpose !== undefined && first?.yieldsTo?.includes(second.purpose) === true;
}

/**
 * The line: by arrival, except that each passes those right before it who let it pass, and that a run which gave way
 * comes right after those it gave way to, before everybody who came later. Whoever knows only the order of arrival
 * is never waited for by somebody that it waits for. Pure.
 */
export function lineOf(waiters: readonly Waiter[]): readonly Waiter[] {
  const line: Waiter[] = [];
  const arrived = waiters.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  for (const waiter of arrived.filter(({ holder }) => holder?.behind === undefined)) {
    let at = line.length;
    while (at > 0 && letsPass(line[at - 1]?.holder ?? null, waiter.holder)) at -= 1;
    line.splice(at, 0, waiter);
  }
  for (const waiter of arrived.filter(({ holder }) => holder?.behind !== undefined)) {
    const behind = new Set(waiter.holder?.behind);
    line.splice(line.findLastIndex(({ name }) => behind.has(name)) + 1, 0, waiter);
  }
  return line;
}
