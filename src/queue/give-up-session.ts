import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { Clearing } from '../lane/fence.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { openLedger } from '../lane/ledger.ts';
import type { Clock } from '../platform/ports.ts';
import { QueueDocuments } from './documents.ts';
import { entryText } from './entry-text.ts';
import { abandoned, type QueueEntry, standing } from './machine/snapshot.ts';

const LOCK_MS = 10_000;
/** Of an entry that is taken out this much is kept. */
const MAX_ENTRY_TEXT = 64 * 1024;

export type LeftEntry = Pick<Clearing, 'entry' | 'entryText'>;

/** Status of an entry that a watchdog may be at. */
interface StillThere {
  readonly stillIs: string;
}

interface GiveUpRequest {
  /** Absolute; the lane must be held. */
  readonly workspace: string;
  readonly sessionId: string;
  readonly runId: string;
  /** A person says that the watchdog which ran it has ended. */
  readonly watchdogEnded: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * What there is of a session whose outcome was unknown. One that may still be at work is taken out when its watchdog has
 * ended; otherwise nothing is touched.
 * @throws RbError RB216 or another of the document's problems, RB218 (exit 75) when SESSIONS.md cannot be edited now.
 */
export async function giveUpSession(request: GiveUpRequest): Promise<LeftEntry | StillThere> {
  const documents = new QueueDocuments(request.workspace);
  try {
    const snapshot = await documents.sessions();
    if (snapshot.fault !== null) throw busy(`SESSIONS.md cannot be read: ${snapshot.fault}`);
    const entry = snapshot.byId.get(request.sessionId);
    if (entry === undefined) return { entry: 'gone', entryText: null };
    if (standing(entry.status) === 'terminal') return { entry: 'settled', entryText: null };
    if (standing(entry.status) === 'pending' || abandoned(snapshot).includes(entry))
      return { entry: 'left_over', entryText: null };
    return request.watchdogEnded ? await takeOut(request, documents, entry) : { stillIs: entry.status };
  } finally {
    documents.close();
  }
}

async function takeOut(
  { workspace, sessionId, runId, clock, signal }: GiveUpRequest,
  documents: QueueDocuments,
  entry: QueueEntry,
): Promise<LeftEntry> {
  const edited = await documents.editSessions(
    { append: [], remove: [{ id: sessionId, when: 'given_up' }] },
    { timeoutMs: LOCK_MS, signal, slowestTransitionMs: 0, onWait: () => undefined },
  );
  if (edited === null) throw busy('SESSIONS.md stayed locked, or an entry of it in preflight.');
  const ledger = await openLedger(hostFolder(workspace).ledger, () => clock.now());
  try {
    await ledger.append({ type: 'released', runId, sessionId, how: 'lost' });
  } finally {
    await ledger.close();
  }
  return { entry: 'taken_out', entryText: entryText(entry).slice(0, MAX_ENTRY_TEXT) };
}

function busy(message: string): RbError {
  const fix = 'Try again in a moment; `rollout-bench doctor` names what is wrong with the document.';
  return errorOf('RB218', { where: 'SESSIONS.md', message, fix });
}
