import * as z from 'zod';
import {
  type Approval,
  approvalSchema,
  type Reservation,
  reservationOf,
  reservationSchema,
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
export type Claimant = Pick<Reservation, 'suite' | 'shard' | 'planDigest' | 'runId' | 'runUrl'>;

export type Claim =
  | { readonly kind: 'fresh'; readonly approval: Approval; readonly reservation: Reservation }
  /** The claimant itself took it before and did not finish. */
  | { readonly kind: 'continued'; readonly approval: Approval; readonly use: Use }
  /** All of the approvals are used, by these. */
  | { readonly kind: 'used'; readonly uses: readonly Use[] };

/**
 * Which right a run gets out of the approvals that fit it: its own unfinished one, else one that nobody took. Pure.
 * @param fitting approvals whose binding equals that of the run
 * @param at UTC, ISO 8601
 */
export function claim(book: ApprovalBook, fitting: readonly Approval[], who: Claimant, at: string): Claim {
  const taken = fitting.map((approval) => ({ approval, uses: usesOf(book, approval, who) }));
  for (const { approval, uses } of taken) {
    const own = uses.find((use) => use.reservation.runId === who.runId && use.state !== 'settled');
    if (own !== undefined) return { kind: 'continued', approval, use: own };
  }
  const free = taken.findLast(({ uses }) => uses.length === 0);
  if (free === undefined) return { kind: 'used', uses: taken.flatMap(({ uses }) => uses) };
  const { approval } = free;
  return {
    kind: 'fresh',
    approval,
    reservation: reservationOf({ ...who, approvalId: approval.id, reservedAt: at }),
  };
}

/** Uses that leave nothing for the claimant: shards of one division exist beside each other, all else overlaps. */
function usesOf({ uses }: ApprovalBook, { id }: Approval, who: Claimant): readonly Use[] {
  return uses.filter(
    ({ reservation, state }) =>
      reservation.approvalId === id &&
      reservation.suite === who.suite &&
      state !== 'released' &&
      !(reservation.planDigest === who.planDigest && isBeside(reservation.shard, who.shard)),
  );
}

function isBeside(left: Reservation['shard'], right: Reservation['shard']): boolean {
  return left !== null && right !== null && left.count === right.count && left.index !== right.index;
}
