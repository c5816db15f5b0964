import type { ApprovalLedger } from '../../approval/ledger.ts';
import type { UseState } from '../../approval/uses.ts';
import { errorOf, type RbError } from '../../errors/rb-error.ts';
import type { Reservation } from '../../model/approval.ts';
import type { ExecutionEnd } from '../../queue/machine/job.ts';
import type { AttemptChoice } from '../runs/attempts.ts';
import { queuedBefore } from './queued-before.ts';

/** What a run took of its approval. */
export interface TakenRight {
  /** Absolute. */
  readonly workspace: string;
  readonly reservation: Reservation;
  /** What became of the right before; null: it was taken just now. */
  readonly before: UseState | null;
}

/** The right of a run that is taken, until it is known how the run ended. */
export class ReservedRun {
  readonly #ledger: ApprovalLedger;
  readonly #right: TakenRight;
  #begun = false;

  constructor(ledger: ApprovalLedger, right: TakenRight) {
    this.#ledger = ledger;
    this.#right = right;
  }

  /**
   * Whether the run took the right before and never queued anything under it: a crash came in between. It may then begin
   * as if for the first time, by whatever it is started.
   */
  async isUnused(): Promise<boolean> {
    const { workspace, reservation, before } = this.#right;
    return before !== null && !(await queuedBefore(workspace, reservation.runId));
  }

  /**
   * Before anything is queued. A right that was used before covers going on with what is unfinished, never a new start.
   * @throws RbError RB382 (exit 3)
   */
  async begin({ resume, fresh }: Pick<AttemptChoice, 'resume' | 'fresh'>): Promise<void> {
    const { reservation, before } = this.#right;
    if (before !== null && resume.length === 0 && !(await this.isUnused()))
      throw this.#nothingToContinue(fresh);
    await this.#ledger.mark(reservation, 'running');
    this.#begun = true;
  }

  /** A run that queued nothing gives its right back. */
  async end(how: 'settled' | 'interrupted'): Promise<void> {
    const { reservation, before } = this.#right;
    const state = this.#begun ? how : before === null ? 'released' : null;
    if (state !== null) await this.#ledger.mark(reservation, state);
  }

  #nothingToContinue(fresh: string | null): RbError {
    const { runId, runUrl, approvalId, suite } = this.#right.reservation;
    return errorOf('RB382', {
      where: `run of ${suite}`,
      message: `its approval covers the continuation of run ${runId} only, and nothing of it is left to continue: ${fresh ?? 'its last attempt is finished'}.`,
      value: runUrl ?? approvalId,
      consequence: 'Nothing was queued.',
    });
  }
}

/** Measures under a reservation and keeps how that ended. */
export async function underReservation<Run extends { readonly end: ExecutionEnd }>(
  reservation: ReservedRun | null,
  measure: () => Promise<Run>,
): Promise<Run> {
  let how: 'settled' | 'interrupted' = 'interrupted';
  try {
    const run = await measure();
    if (run.end.end === 'complete') how = 'settled';
    return run;
  } finally {
    await reservation?.end(how);
  }
}
