import { canonicalDigest, canonicalJson } from '../base/canonical-json.ts';
import { sha256Of } from '../base/sha256.ts';
import type { Plan } from '../model/plan.ts';

/** Cells that are measured on the host and never named outside of it. */
export interface HeldOutList {
  readonly suite: string;
  /** Lower-case hex of at least 16 random bytes. */
  readonly salt: string;
  /** By task, then initial state; each once. */
  readonly cells: readonly HeldOutCell[];
}

export interface HeldOutCell {
  readonly taskId: number;
  readonly initStateId: number;
}

export const MAX_HELD_OUT_BYTES = 1024 * 1024;

/**
 * What is published before the measurement, so that the list cannot change afterwards: sha256 over the salt, a line feed
 * and `{"cells":[[task,state],…],"suite":"…"}`. 64 hex digits; without the salt it tells nothing about the list.
 */
export function heldOutCommitment({ salt, suite, cells }: HeldOutList): string {
  const list = canonicalJson({ suite, cells: cells.map(({ taskId, initStateId }) => [taskId, initStateId]) });
  return sha256Of(`${salt}\n${list}`);
}

/** The numbers of a held-out plan's cells, by task and initial state. @throws Error for any other plan (a bug). */
export function numbersOfPlan(plan: Plan): ReadonlyMap<string, number> {
  const salt = plan.heldOut?.salt;
  if (salt === undefined) throw new Error('this plan holds nothing out');
  return maskedNumbers(salt, plan.cells);
}

/** Numbers from 1 in an order that tells nothing about the ids, the same for equal lists. */
export function maskedNumbers(salt: string, cells: readonly HeldOutCell[]): ReadonlyMap<string, number> {
  const digests = new Map(
    cells.map((cell): [string, string] => [placeOf(cell), canonicalDigest([salt, placeOf(cell)])]),
  );
  const ordered = [...digests].sort(([, left], [, right]) => (left < right ? -1 : 1));
  return new Map(ordered.map(([place], index) => [place, index + 1]));
}

/** Key of a cell's task and initial state. */
export function placeOf({ taskId, initStateId }: HeldOutCell): string {
  return `${taskId} ${initStateId}`;
}

/** `heldout-03`: how a held-out cell is called outside of its bundle. */
export function maskedName(number: number): string {
  return `heldout-${String(number).padStart(2, '0')}`;
}
