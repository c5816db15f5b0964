import * as path from 'node:path';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { makeFolder, openDurableLines } from '../files/durable-lines.ts';
import { acquireLock } from '../files/lock.ts';
import { isAbsent } from '../files/problems.ts';
import { writeOnce } from '../files/write-once.ts';
import type { HostFolder } from '../lane/host-folder.ts';
import { type Approval, bindingDifferences, type Reservation, sameList } from '../model/approval.ts';
import { type Plan, planSchema } from '../model/plan.ts';
import { planDigest } from '../plan/make-plan.ts';
import {
  type ApprovalBook,
  type ApprovalLine,
  approvalLineSchema,
  type Claim,
  type Claimant,
  claim,
  type Fitting,
  foldApprovals,
  type UseState,
} from './uses.ts';

/** Lines are about 2 kB: this is more than a run every ten minutes for a year. */
const MAX_LEDGER_BYTES = 128 * 1024 * 1024;
const MAX_PLAN_BYTES = 64 * 1024 * 1024;
/** Whoever holds the lock writes a few lines. */
const LOCK_TIMEOUT_MS = 30_000;

/**
 * The approvals of a host and what became of them (`.host/approvals.jsonl`): outside of any checkout, so that neither a
 * new checkout nor running a job again gives a right back. One writer at a time, each line durable.
 */
export class ApprovalLedger {
  readonly #folder: HostFolder;
  readonly #now: () => number;

  constructor(folder: HostFolder, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** @throws RbError RB380 when it cannot be read. */
  async read(): Promise<ApprovalBook> {
    return foldApprovals(await readLines(this.#folder.approvals));
  }

  /**
   * Keeps an approval with its plan; one that is known already is not kept twice. What was read for the suites of one job
   * is not read for others: that would make two of one yes.
   * @throws RbError RB387 (exit 3)
   */
  async keep(approval: Approval, plan: Plan): Promise<void> {
    await writeOnce(this.#folder.approvedPlans, `${planDigest(plan)}.json`, `${JSON.stringify(plan)}\n`);
    await this.#change(({ approvals }) => {
      const readings = approvals.filter(({ id }) => id === approval.id);
      const other = readings.find(
        ({ binding: { suites } }) => suites !== undefined && !sameList(suites, approval.binding.suites),
      );
      if (other !== undefined) throw readForOthers(approval, other);
      const known = readings.some((each) => isSame(each, approval));
      return { lines: known ? [] : [{ type: 'approved', at: this.#at(), approval }], result: undefined };
    });
  }

  /** Takes a right, durably, before anything is queued; of two that ask at once one gets it. */
  take(fitting: Fitting, who: Claimant): Promise<Claim> {
    return this.#change((book) => {
      const result = claim(book, fitting, who, this.#at());
      const lines: ApprovalLine[] =
        result.kind === 'fresh'
          ? [{ type: 'reserved', at: this.#at(), reservation: result.reservation }]
          : result.kind === 'used'
            ? result.uses.filter(isSilent).map(({ reservation }) => this.#stateLine(reservation, 'unknown'))
            : [];
      return { lines, result };
    });
  }

  async mark(reservation: Reservation, state: UseState): Promise<void> {
    await this.#change(() => ({ lines: [this.#stateLine(reservation, state)], result: undefined }));
  }

  /** The plan of an approval; null when the host does not have it. */
  async planOf({ binding }: Approval): Promise<Plan | null> {
    const file = path.join(this.#folder.approvedPlans, `${binding.planDigest}.json`);
    try {
      const parsed = planSchema.safeParse(JSON.parse(await readTextCapped(file, MAX_PLAN_BYTES)));
      return parsed.success && planDigest(parsed.data) === binding.planDigest ? parsed.data : null;
    } catch {
      // For a better message only: the digest has decided already.
      return null;
    }
  }

  #at(): string {
    return new Date(this.#now()).toISOString();
  }

  #stateLine({ approvalId, suite, runId }: Reservation, state: UseState): ApprovalLine {
    return { type: 'state', at: this.#at(), approvalId, suite, runId, state };
  }

  async #change<T>(
    decide: (book: ApprovalBook) => { lines: readonly ApprovalLine[]; result: T },
  ): Promise<T> {
    const { root, approvals, approvalsLock } = this.#folder;
    await makeFolder(root);
    const lock = await acquireLock(approvalsLock, { timeoutMs: LOCK_TIMEOUT_MS });
    try {
      const { lines, result } = decide(await this.read());
      if (lines.length === 0) return result;
      const file = await openDurableLines(approvals, { exclusive: false });
      try {
        await file.append(lines.map((line) => JSON.stringify(line)));
      } finally {
        await file.close();
      }
      return result;
    } finally {
      lock.release();
    }
  }
}

function isSame(left: Approval, right: Approval): boolean {
  return (
    left.id === right.id &&
    left.suite === right.suite &&
    bindingDifferences(left.binding, right.binding).length === 0
  );
}

function readForOthers({ binding, url }: Approval, before: Approval): RbError {
  const named = ({ suites }: Approval['binding']): string => suites?.join(', ') ?? 'unknown';
  return errorOf('RB387', {
    where: `approval of ${named(binding)}`,
    message: `this approval was read for the suites ${named(before.binding)} before, and one that was read for some suites serves no others.`,
    value: url,
    consequence: 'Nothing was queued.',
  });
}

/**
 * The holder of the lane asks, so no other run goes on: one that did not say how it ended, crashed. What it did is not
 * known.
 */
function isSilent({ state }: { readonly state: UseState }): boolean {
  return state === 'reserved' || state === 'running';
}

/** Lines that a crash cut off are skipped: what they would have announced had not happened. */
async function readLines(file: string): Promise<ApprovalLine[]> {
  let text: string;
  try {
    text = await readTextCapped(file, MAX_LEDGER_BYTES);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw unreadable(file, error instanceof Error ? error.message : String(error), error);
  }
  return text.split('\n').flatMap((line, index) => {
    const value = parseJson(line);
    if (value === undefined) return [];
    const parsed = approvalLineSchema.safeParse(value);
    if (parsed.success) return [parsed.data];
    throw unreadable(file, `line ${index + 1} is not a record of this release`, parsed.error);
  });
}

/** Undefined for a line that was cut off; anything else that is no JSON must not be overlooked, it may be a use. */
function parseJson(line: string): unknown {
  if (line === '') return undefined;
  // A line may end inside of one of its objects, after a brace of another one.
  for (const text of ['', '}', '}}', '}}}', '}}}}'].map((braces) => `${line}${braces}`)) {
    try {
      const value: unknown = JSON.parse(text);
      return text === line ? value : undefined;
    } catch {
      // Looked at below.
    }
  }
  return line.endsWith('}') ? null : undefined;
}

function unreadable(file: string, why: string, cause: unknown): RbError {
  return errorOf(
    'RB380',
    {
      where: file,
      message: `The approvals of this host cannot be read: ${why}.`,
    },
    { cause },
  );
}
