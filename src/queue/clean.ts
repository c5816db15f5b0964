import { hostFolder } from '../lane/host-folder.ts';
import { compactLedger, foldLedger, openLedger, readLedger } from '../lane/ledger.ts';
import type { Clock } from '../platform/ports.ts';
import { archiveLog, type LogArchiveResult } from './archive-log.ts';
import { QueueDocuments } from './documents.ts';
import { type SweepResult, sweep } from './sweep.ts';

const LOOK_MS = 500;

interface CleanRequest {
  /** Absolute; the lane must be held. */
  readonly workspace: string;
  /** Also move our own old entries of LOG.md to an archive beside it. */
  readonly log: boolean;
  /** How long to stay for cell targets that must remain a little longer. */
  readonly patienceMs: number;
  /** How long one try for the lock on SESSIONS.md may take. */
  readonly lockMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface CleanResult extends SweepResult {
  /** Null when it was not asked for. */
  readonly log: LogArchiveResult | null;
}

/**
 * Takes everything of ours off the host that the ledger names and the watchdog is not at. Finished sessions' evidence is
 * saved for the next attempt of their run. Used by `clean` and, with little patience, by the action's post step.
 */
export async function cleanHost(request: CleanRequest): Promise<CleanResult> {
  const { workspace, clock } = request;
  const file = hostFolder(workspace).ledger;
  const until = clock.now() + request.patienceMs;
  const documents = new QueueDocuments(workspace);
  try {
    let total = await sweepOnce(request, documents);
    while (total.cellTargetsLeft.length > 0 && clock.now() < until && request.signal?.aborted !== true) {
      await clock.sleep(LOOK_MS, request.signal);
      total = joined(total, await sweepOnce(request, documents));
    }
    if (total.atWork.length === 0 && total.cellTargetsLeft.length === 0)
      await compactLedger(file, () => clock.now());
    return { ...total, log: request.log ? await archiveLog(workspace, request.lockMs) : null };
  } finally {
    documents.close();
  }
}

async function sweepOnce(request: CleanRequest, documents: QueueDocuments): Promise<SweepResult> {
  const { workspace, clock, lockMs, signal } = request;
  const file = hostFolder(workspace).ledger;
  const holdings = foldLedger(await readLedger(file));
  const ledger = await openLedger(file, () => clock.now());
  try {
    return await sweep(
      {
        workspace,
        documents,
        ledger,
        clock,
        patience: {
          timeoutMs: lockMs,
          ...(signal === undefined ? {} : { signal }),
          slowestTransitionMs: 0,
          onWait: () => undefined,
        },
        except: { sessions: new Set(), cellTargets: new Set() },
      },
      holdings,
    );
  } finally {
    await ledger.close();
  }
}

function joined(before: SweepResult, now: SweepResult): SweepResult {
  return {
    removed: [...before.removed, ...now.removed],
    atWork: now.atWork,
    cellTargetsRemoved: [...before.cellTargetsRemoved, ...now.cellTargetsRemoved],
    cellTargetsLeft: now.cellTargetsLeft,
    cellTargetsInUse: now.cellTargetsInUse,
    edited: now.edited,
  };
}
