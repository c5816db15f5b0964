import { EXIT, RbError } from '../errors/rb-error.ts';
import { fenceProblem, readFence } from '../lane/fence.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { foldLedger, type Holdings, openLedger, readLedger } from '../lane/ledger.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { QueueDocuments } from './documents.ts';
import { changedMs, fenceOver } from './fence-host.ts';
import { perhapsAtWork, type QueueEntry } from './machine/snapshot.ts';
import { stuckSession } from './machine/stuck.ts';
import { sweep } from './sweep.ts';

const LOOK_MS = 1_000;
/** Who waits is told again. */
const SAY_EVERY_MS = 60_000;
const LOCK_MS = 10_000;

interface EarlierRequest {
  /** Absolute; the lane must be held. */
  readonly workspace: string;
  /** Runs that will be continued: what they left pending is theirs. */
  readonly continued: ReadonlySet<string>;
  /** Time limit in milliseconds of a session whose entry does not tell its own. */
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Waits until no session that an earlier run left behind may still be at work: nothing is queued over one. What others
 * than the continued runs left pending is taken back first. A healthy watchdog ends the session in time; one that stays
 * silent beyond the time limit gets the host fenced. Returns the milliseconds waited, 0 when there was none.
 * @throws RbError RB375 (exit 3) when the host was fenced now; the signal's reason when it aborts.
 */
export async function outlastEarlier(request: EarlierRequest): Promise<number> {
  const holdings = foldLedger(await readLedger(hostFolder(request.workspace).ledger));
  if (holdings.sessions.size === 0) return 0;
  const owned = new Map([...holdings.sessions].map(([id, { runId }]) => [id, runId]));
  const documents = new QueueDocuments(request.workspace);
  try {
    if (perhapsAtWork(await documents.sessions()).some(({ id }) => owned.has(id)))
      await takeBack(request, documents, holdings);
    return await untilSettled(request, documents, owned);
  } finally {
    documents.close();
  }
}

/** As a run does when it begins: finished entries are saved, pending ones go, what is at work stays. */
async function takeBack(
  { workspace, continued, clock, signal }: EarlierRequest,
  documents: QueueDocuments,
  holdings: Holdings,
): Promise<void> {
  const kept = <T extends { readonly runId: string }>(owned: ReadonlyMap<string, T>): Set<string> =>
    new Set([...owned].filter(([, { runId }]) => continued.has(runId)).map(([id]) => id));
  const ledger = await openLedger(hostFolder(workspace).ledger, () => clock.now());
  try {
    const patience = { timeoutMs: LOCK_MS, signal, slowestTransitionMs: 0, onWait: () => undefined };
    const except = { sessions: kept(holdings.sessions), cellTargets: kept(holdings.cellTargets) };
    await sweep({ workspace, documents, ledger, clock, patience, except }, holdings);
  } finally {
    await ledger.close();
  }
}

async function untilSettled(
  request: EarlierRequest,
  documents: QueueDocuments,
  owned: ReadonlyMap<string, string>,
): Promise<number> {
  const { workspace, clock, log, signal, sessionTimeoutMs } = request;
  const began = clock.now();
  const ours = new Set(owned.keys());
  let said = '';
  let saidMs = 0;
  for (;;) {
    const snapshot = await documents.sessions();
    const working = perhapsAtWork(snapshot).find(({ id }) => ours.has(id));
    // Whether an unreadable document is refused is decided elsewhere.
    if (working === undefined || snapshot.fault !== null) return said === '' ? 0 : clock.now() - began;
    const moment = { nowMs: clock.now(), snapshot, changedMs: await changedMs(workspace) };
    const stuck = stuckSession(ours, moment, sessionTimeoutMs);
    if (stuck !== null) {
      await fenceOver(workspace, stuck, { runId: owned.get(stuck.id) ?? 'unknown', nowMs: clock.now() });
      throw await fenced(workspace);
    }
    if (said !== working.id || clock.now() - saidMs >= SAY_EVERY_MS) {
      log.info(waitingText(working, owned.get(working.id)));
      saidMs = clock.now();
    }
    said = working.id;
    await documents.change(LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

function waitingText({ id, status, updatedAt }: QueueEntry, runId: string | undefined): string {
  const since = updatedAt === null ? '' : ` since ${updatedAt}`;
  return `Waiting for session ${id} (${status}${since}), which run ${runId ?? 'of ours'} left in the queue; a watchdog ends it, or the host is fenced when its time is over.`;
}

async function fenced(workspace: string): Promise<Error> {
  const problem = fenceProblem(await readFence(workspace), workspace);
  return problem === null ? new Error('the fence is not there') : new RbError(EXIT.refused, [problem]);
}
