import * as z from 'zod';
import {
  type Approval,
  approvalSchema,
  type Reservation,
  reservationOf,
  reservationSchema,
  sameList,
} from '../model/approval.ts';

/** What became of a right: `unknown` is a run that ended without saying how, `released` one that queued nothing. */
const useStateSchema = z.enum(['reserved', 'running', 'settled', 'interrupted', 'unknown', 'released']);
export type UseState = z.infer<typeof useStateSchema>;

/** One line of `.host/approvals.jsonl`. */
export const approvalLineSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('approved'), at: z.string(), approval: approvalSchema }),
  z.strictObject({ type: z.literal('reserved'), at: z.string(), reservation: reservationSchema }),
  z.strictObject({
    type: z.literal('state'),
    at: z.string(),
    approvalId: z.string(),
    suite: z.string(),
    runId: z.string(),
    state: useStateSchema,
  }),
]);
export type ApprovalLine = z.infer<typeof approvalLineSchema>;

/** A right that a run took, and what became of it. */
export interface Use {
  readonly reservation: Reservation;
  readonly state: UseState;
}

export interface ApprovalBook {
  readonly approvals: readonly Approval[];
  /** In the order in which they were taken. */
  readonly uses: readonly Use[];
}

/** What the lines of the ledger come to. Pure. */
export function foldApprovals(lines: readonly ApprovalLine[]): ApprovalBook {
  const approvals: Approval[] = [];
  const uses: Use[] = [];
  for (const line of lines) {
    if (line.type === 'approved') approvals.push(line.approval);
    else if (line.type === 'reserved') uses.push({ reservation: line.reservation, state: 'reserved' });
    else {
      const at = uses.findLastIndex(
        ({ reservation: { approvalId, suite, runId } }) =>
          approvalId === line.approvalId && suite === line.suite && runId === line.runId,
      );
      const use = uses[at];
      if (use !== undefined) uses[at] = { ...use, state: line.state };
    }
  }
  return { approvals, uses };
}

/** The run that asks for a right. */
export type Claimant = Omit<Reservation, 'schema' | 'approvalId' | 'reservedAt'>;

/** Approvals that a run may use, by the binding. */
export interface Fitting {
  /** That it may begin under. */
  readonly toBegin: readonly Approval[];
  /** That it may go on under, when it took them before. */
  readonly toGoOn: readonly Approval[];
}

export type Claim =
  | { readonly kind: 'fresh'; readonly approval: Approval; readonly reservation: Reservation }
  /** The claimant itself took it before and did not finish. */
  | { readonly kind: 'continued'; readonly approval: Approval; readonly use: Use }
  /** All of the approvals are used, by these. */
  | { readonly kind: 'used'; readonly uses: readonly Use[] };

/**
 * Which right a run gets out of the approvals that fit it: its own unfinished one, else one that nobody took. Pure.
 * @param at UTC, ISO 8601
 */
export function claim(book: ApprovalBook, { toBegin, toGoOn }: Fitting, who: Claimant, at: string): Claim {
  for (const approval of toGoOn) {
    const own = usesOf(book, approval.id, who).find(
      ({ reservation, state }) => reservation.runId === who.runId && state !== 'settled',
    );
    if (own !== undefined) return { kind: 'continued', approval, use: own };
  }
  const approval = toBegin.findLast(({ id }) => usesOf(book, id, who).length === 0);
  if (approval !== undefined)
    return {
      kind: 'fresh',
      approval,
      reservation: reservationOf({ ...who, approvalId: approval.id, reservedAt: at }),
    };
  const ids = new Set([...toBegin, ...toGoOn].map(({ id }) => id));
  return { kind: 'used', uses: [...ids].flatMap((id) => usesOf(book, id, who)) };
}

/** Uses that leave nothing for the claimant. */
function usesOf({ uses }: ApprovalBook, id: string, who: Claimant): readonly Use[] {
  return uses.filter(
    ({ reservation, state }) =>
      reservation.approvalId === id && state !== 'released' && !isBeside(reservation, who),
  );
}

/** Suites of one job and shards of one division exist beside each other, all else overlaps. */
function isBeside(taken: Reservation, who: Claimant): boolean {
  const sameJob = taken.suites !== undefined && sameList(taken.suites, who.suites);
  if (taken.suite !== who.suite) return sameJob;
  return taken.planDigest === who.planDigest && areShards(taken.shard, who.shard);
}

function areShards(left: Reservation['shard'], right: Reservation['shard']): boolean {
  return left !== null && right !== null && left.count === right.count && left.index !== right.index;
}
