import type { ApprovalLedger } from '../../approval/ledger.ts';
import type { UseState } from '../../approval/uses.ts';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import type { Reservation } from '../../model/approval.ts';
import type { ExecutionEnd } from '../../queue/execution.ts';
import type { AttemptChoice } from '../runs/attempts.ts';

/** The right of a run that is taken, until it is known how the run ended. */
export class ReservedRun {
  readonly #ledger: ApprovalLedger;
  readonly #reservation: Reservation;
  /** What became of the right before; null: it was taken just now. */
  readonly #before: UseState | null;
  #begun = false;

  constructor(ledger: ApprovalLedger, reservation: Reservation, before: UseState | null) {
    this.#ledger = ledger;
    this.#reservation = reservation;
    this.#before = before;
  }

  /**
   * Before anything is queued. A right that was used before covers going on with what is unfinished, never a new start.
   * @throws RbError RB382 (exit 3)
   */
  async begin({ resume, fresh }: Pick<AttemptChoice, 'resume' | 'fresh'>): Promise<void> {
    const started = this.#before !== null && this.#before !== 'reserved';
    if (started && resume.length === 0) throw this.#nothingToContinue(fresh);
    await this.#ledger.mark(this.#reservation, 'running');
    this.#begun = true;
  }

  /** A run that queued nothing gives its right back. */
  async end(how: 'settled' | 'interrupted'): Promise<void> {
    const state = this.#begun ? how : this.#before === null ? 'released' : null;
    if (state !== null) await this.#ledger.mark(this.#reservation, state);
  }

  #nothingToContinue(fresh: string | null): RbError {
    const { runId, runUrl, approvalId, suite } = this.#reservation;
    return new RbError(EXIT.refused, [
      {
        code: 'RB382',
        where: `run of ${suite}`,
        message: `its approval covers the continuation of run ${runId} only, and nothing of it is left to continue: ${fresh ?? 'its last attempt is finished'}.`,
        value: runUrl ?? approvalId,
        fix: 'Have the run approved again to measure anew.',
        consequence: 'Nothing was queued.',
        severity: 'fatal',
      },
    ]);
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
