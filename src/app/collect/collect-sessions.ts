import { EXIT, RbError } from '../../errors/rb-error.ts';
import { classify, TERMINAL_STATUSES } from '../../outcome/classify.ts';
import { parseEntry } from '../../outcome/read-archive.ts';
import { readEvidence, readLogs } from '../../outcome/read-evidence.ts';
import { readWithinNow } from '../../outcome/read-within.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import type { QueueEntry } from '../../queue/snapshot.ts';
import { idProblems } from '../../workspace/id-path.ts';
import { requireWorkspace } from '../../workspace/workspace-folder.ts';
import type { SealedRun } from '../build-bundle.ts';
import { type Attribution, attribute } from './attribute.ts';
import { type FinishedSession, finishedSession, isOurs } from './finished-session.ts';
import { groupSessions, type SessionGroup } from './group-sessions.ts';
import { knownTargets } from './known-targets.ts';
import { type Judged, type SealGroupInput, sealGroup } from './seal-group.ts';

/** 10,000 finished LIBERO entries take 100 MB; the runtime itself would need days for such a file. */
const MAX_SESSIONS_BYTES = 512 * 1024 * 1024;

export interface CollectInput extends SealGroupInput {
  /** Only these sessions; empty is every finished one that a benchmark of ours did not queue. */
  readonly sessionIds: readonly string[];
}

export interface Collected extends Omit<Attribution, 'sessions'> {
  /** One per suite and skill runtime. */
  readonly runs: readonly SealedRun[];
  /** Why TARGETS.md could not help; null when it could be read. */
  readonly targetsFault: string | null;
}

/**
 * Makes one bundle and report per suite and skill runtime from finished sessions that others queued (evidence class
 * `unplanned`). Reads SESSIONS.md, LOG.md, TARGETS.md and episode.json files, also while the watchdog works; changes no
 * runtime document.
 * @throws RbError RB213 for a link in our place, RB524 for ids that name no folder, RB511 when SESSIONS.md cannot be read, RB512 for named sessions that are not there or not finished,
 * RB513 when there is nothing to collect.
 */
export async function collectSessions(input: CollectInput): Promise<Collected> {
  await requireWorkspace(input.workspace);
  const entries = finishedEntries(input);
  const odd = idProblems(
    entries.map(({ id }) => id),
    'SESSIONS.md',
  );
  if (odd.length > 0) throw new RbError(EXIT.refused, odd);
  const logs = await readLogs(input.workspace);
  const sessions: FinishedSession[] = [];
  const byId = new Map<string, Judged>();
  for (const entry of entries) {
    const body = parseEntry(entry.text(), true);
    if (input.sessionIds.length === 0 && isOurs(body)) continue;
    const evidence = await readEvidence(input.workspace, entry.id, body, logs);
    const found = classify({ plan: null, cell: null, evidence });
    sessions.push(finishedSession(entry.id, body, found));
    byId.set(entry.id, { entry, found });
  }
  if (sessions.length === 0) throw nothing();
  const { targets, fault: targetsFault } = knownTargets(input.workspace);
  const { sessions: attributed, ...rest } = attribute(sessions, targets);
  if (attributed.length === 0) throw noneAttributable(rest);
  const runs: SealedRun[] = [];
  for (const group of groupSessions(attributed)) {
    const warnings = warningsOf(group, rest.disagreements);
    runs.push(await sealGroup(input, { group, byId, logs, warnings }));
  }
  return { runs, ...rest, targetsFault };
}

/** What the report says about how its sessions were attributed. */
function warningsOf({ members, byTarget }: SessionGroup, found: Attribution['disagreements']): string[] {
  const ids = new Set(members.map(({ sessionId }) => sessionId));
  const own = found.filter(({ sessionId }) => ids.has(sessionId));
  return [
    ...own.map(({ sessionId, message }) => `${sessionId}: ${message}; the evidence counts.`),
    ...byTarget.map(
      (id) => `${id}: no evidence of the episode is left; taken from what its target is configured for.`,
    ),
  ];
}

function finishedEntries({ workspace, sessionIds }: CollectInput): readonly QueueEntry[] {
  const reading = readWithinNow(workspace, ['SESSIONS.md'], MAX_SESSIONS_BYTES);
  if (reading.state !== 'present') {
    throw refusal(
      'RB511',
      'SESSIONS.md',
      reading.state === 'absent' ? 'There is none.' : `It cannot be read: ${reading.reason}.`,
    );
  }
  const snapshot = readSessionsText(reading.bytes.toString('utf8'));
  if (snapshot.fault !== null) throw refusal('RB511', 'SESSIONS.md', `It cannot be read: ${snapshot.fault}.`);
  const finished = [...snapshot.byId.values()].filter((entry) => TERMINAL_STATUSES.has(entry.status));
  if (sessionIds.length === 0) return finished;
  const wanted = new Set(sessionIds);
  const found = finished.filter((entry) => wanted.has(entry.id));
  const missing = sessionIds.filter((id) => !found.some((entry) => entry.id === id));
  if (missing.length > 0) {
    throw refusal('RB512', missing.slice(0, 5).join(', '), 'No finished entry of this id is in SESSIONS.md.');
  }
  return found;
}

function nothing(): RbError {
  return refusal('RB513', 'SESSIONS.md', 'There is no finished session that somebody else queued.');
}

function noneAttributable({ unattributable, otherKinds }: Omit<Attribution, 'sessions'>): RbError {
  const [first] = unattributable;
  const why =
    first === undefined
      ? `all ${otherKinds.length} ran on targets that are no simulation`
      : `of ${unattributable.length} nothing tells which episode they ran; ${first.sessionId}: ${first.reason}`;
  return refusal('RB513', 'SESSIONS.md', `No finished session can be reported on: ${why}.`);
}

function refusal(code: 'RB511' | 'RB512' | 'RB513', where: string, message: string): RbError {
  const fix = 'Name a workspace whose SESSIONS.md lists finished sessions, and sessions that are in it.';
  return new RbError(EXIT.refused, [{ code, where, message, fix, severity: 'fatal' }]);
}
