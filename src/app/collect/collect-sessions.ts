import { EXIT, failure, RbError, refusal } from '../../errors/rb-error.ts';
import { readWithinNow } from '../../files/read-within.ts';
import type { SealedRun } from '../../job/measure/build-bundle.ts';
import { classify } from '../../outcome/classify.ts';
import { parseEntry } from '../../outcome/read-archive.ts';
import { readEvidence, readLogs } from '../../outcome/read-evidence.ts';
import { TERMINAL_STATUSES } from '../../outcome/terminal-statuses.ts';
import { isHeldOutSession } from '../../plan/ids.ts';
import { entryText } from '../../queue/entry-text.ts';
import type { QueueEntry } from '../../queue/machine/snapshot.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import { idProblems } from '../../workspace/id-path.ts';
import { requireWorkspace } from '../../workspace/workspace-folder.ts';
import { type Attribution, attribute, type Unattributable } from './attribute.ts';
import { type Choice, choiceTexts, EVERYTHING, isChosen } from './choose-sessions.ts';
import type { Judged, SealGroupInput } from './collected-run.ts';
import { type FinishedSession, finishedSession, isOurs } from './finished-session.ts';
import { groupSessions, type SessionGroup } from './group-sessions.ts';
import { knownTargets } from './known-targets.ts';
import { sealGroup } from './seal-group.ts';
import type { Wanted } from './wanted.ts';

/** 10,000 finished LIBERO entries take 100 MB; the runtime itself would need days for such a file. */
const MAX_SESSIONS_BYTES = 512 * 1024 * 1024;

export interface CollectInput extends SealGroupInput {
  /** Only these sessions; empty is every finished one that a benchmark of ours did not queue. */
  readonly sessionIds: readonly string[];
  /** Left out: everything. */
  readonly choice?: Choice;
  /** What was meant to be measured; null or left out when nobody says. */
  readonly wanted?: Wanted | null;
}

/** A session of unknown episode, and the runs that count it as lost; none: it is left out. */
interface WithoutEpisode {
  readonly sessionId: string;
  readonly reason: string;
  readonly countedIn: readonly string[];
}

export interface Collected extends Pick<Attribution, 'otherKinds' | 'disagreements'> {
  /** One per suite, target family, skill runtime, policy and protocol. */
  readonly runs: readonly SealedRun[];
  readonly unattributable: readonly WithoutEpisode[];
  /** Why TARGETS.md could not help; null when it could be read. */
  readonly targetsFault: string | null;
}

/**
 * Makes one bundle and report per suite, target family, skill runtime, policy and protocol from finished sessions that
 * others queued (evidence class `unplanned`). Sessions whose episode nothing tells count as lost ones. Reads
 * SESSIONS.md, LOG.md, TARGETS.md and episode.json files, also while the watchdog works; changes no runtime document.
 * @throws RbError RB213 for a link in our place, RB431 for named sessions of held-out cells, RB524 for ids that name no folder, RB511 when SESSIONS.md cannot be
 * read, RB512 for named sessions that are not there or not finished, RB513 when there is nothing to collect, RB525 for
 * sessions beyond what was wanted.
 */
export async function collectSessions(input: CollectInput): Promise<Collected> {
  await requireWorkspace(input.workspace);
  const logs = await readLogs(input.workspace);
  const { sessions, byId } = await judge(input, logs);
  if (sessions.length === 0) throw nothing();
  const { targets, fault: targetsFault } = knownTargets(input.workspace);
  const { sessions: attributed, ...rest } = attribute(sessions, targets);
  if (attributed.length === 0) throw noneAttributable(rest);
  const chosen = [
    ...(input.sessionIds.length === 0 ? [] : [`${input.sessionIds.length} sessions by their ids`]),
    ...choiceTexts(input.choice ?? EVERYTHING),
  ];
  const { groups, leftOut } = groupSessions({
    sessions: attributed,
    unattributable: rest.unattributable,
    targets,
    chosen: chosen.length > 0,
    wanted: input.wanted ?? null,
  });
  const runs: SealedRun[] = [];
  for (const [index, group] of groups.entries()) {
    const place = { number: index + 1, groups: groups.length, chosen, planned: input.wanted?.text ?? null };
    const warnings = warningsOf(group, rest.disagreements, leftOut);
    runs.push(await sealGroup(input, { group, ...place, byId, logs, warnings }));
  }
  const { otherKinds, disagreements } = rest;
  return { runs, unattributable: countedIn(groups, runs, leftOut), otherKinds, disagreements, targetsFault };
}

/** The finished sessions that were chosen, judged by their evidence. */
async function judge(
  input: CollectInput,
  logs: ReadonlyMap<string, string>,
): Promise<{ readonly sessions: readonly FinishedSession[]; readonly byId: ReadonlyMap<string, Judged> }> {
  const sessions: FinishedSession[] = [];
  const byId = new Map<string, Judged>();
  for (const entry of finishedEntries(input)) {
    const body = parseEntry(entryText(entry), true);
    if (input.sessionIds.length === 0 && isOurs(body)) continue;
    const evidence = await readEvidence(input.workspace, entry.id, body, logs);
    const found = classify({ plan: null, cell: null, evidence });
    const session = finishedSession(entry.id, body, { endedAt: entry.updatedAt, found });
    if (!isChosen(session, input.choice ?? EVERYTHING)) continue;
    sessions.push(session);
    byId.set(entry.id, { entry, found });
  }
  const odd = idProblems([...byId.keys()], 'SESSIONS.md');
  if (odd.length > 0) throw new RbError(EXIT.refused, odd);
  return { sessions, byId };
}

/** Sessions without an episode, each with the runs that count it. */
function countedIn(
  groups: readonly SessionGroup[],
  runs: readonly SealedRun[],
  leftOut: readonly Unattributable[],
): readonly WithoutEpisode[] {
  const all = new Map<string, { reason: string; countedIn: string[] }>();
  groups.forEach(({ unattributed }, index) => {
    for (const { session, reason } of unattributed) {
      const known = all.get(session.sessionId) ?? { reason, countedIn: [] };
      known.countedIn.push(runs[index]?.results.run.runId ?? '');
      all.set(session.sessionId, known);
    }
  });
  for (const { session, reason } of leftOut) all.set(session.sessionId, { reason, countedIn: [] });
  return [...all].map(([sessionId, rest]) => ({ sessionId, ...rest }));
}

/** Ids that one warning of a report names; the rest are in the list of the JSON output. */
const NAMED = 20;

/** What the report says about how its sessions were attributed. */
function warningsOf(
  { members }: SessionGroup,
  found: Attribution['disagreements'],
  leftOut: readonly Unattributable[],
): string[] {
  const ids = new Set(members.map(({ session }) => session.sessionId));
  const own = found.filter(({ sessionId }) => ids.has(sessionId));
  const byTarget = members.filter(({ session }) => session.cell.by === 'target');
  const named = leftOut.slice(0, NAMED).map(({ session }) => session.sessionId);
  const more = leftOut.length > NAMED ? ' …' : '';
  return [
    ...own.map(({ sessionId, message }) => `${sessionId}: ${message}; the evidence counts.`),
    ...byTarget.map(
      ({ session: { sessionId, found: judged } }) =>
        `${sessionId} (${judged.outcome}): its evidence does not name the episode; taken from what its target is configured for.`,
    ),
    ...(leftOut.length === 0
      ? []
      : [
          `${leftOut.length} finished sessions are in no report, because nothing tells their episode and they fit no group: ${named.join(', ')}${more}.`,
        ]),
  ];
}

function finishedEntries({ workspace, sessionIds }: CollectInput): readonly QueueEntry[] {
  const reading = readWithinNow(workspace, ['SESSIONS.md'], MAX_SESSIONS_BYTES);
  if (reading.state !== 'present') {
    throw cannotCollect(
      'RB511',
      'SESSIONS.md',
      reading.state === 'absent' ? 'There is none.' : `It cannot be read: ${reading.reason}.`,
    );
  }
  const snapshot = readSessionsText(reading.bytes.toString('utf8'));
  if (snapshot.fault !== null)
    throw cannotCollect('RB511', 'SESSIONS.md', `It cannot be read: ${snapshot.fault}.`);
  const finished = [...snapshot.byId.values()].filter((entry) => TERMINAL_STATUSES.has(entry.status));
  if (sessionIds.length === 0) return finished;
  const wanted = new Set(sessionIds);
  const masked = sessionIds.filter(isHeldOutSession);
  if (masked.length > 0) throw heldOutSessions(masked);
  const found = finished.filter((entry) => wanted.has(entry.id));
  const missing = sessionIds.filter((id) => !found.some((entry) => entry.id === id));
  if (missing.length > 0) {
    throw cannotCollect(
      'RB512',
      missing.slice(0, 5).join(', '),
      'No finished entry of this id is in SESSIONS.md.',
    );
  }
  return found;
}

/** A report on them would say which cells they are. */
function heldOutSessions(ids: readonly string[]): RbError {
  return failure(EXIT.refused, {
    code: 'RB431',
    where: ids.slice(0, 5).join(', '),
    message: 'These are sessions of held-out cells, which no report may name.',
    fix: 'Leave them out. The public bundle of their run carries the aggregate.',
  });
}

function nothing(): RbError {
  return cannotCollect('RB513', 'SESSIONS.md', 'There is no finished session that somebody else queued.');
}

function noneAttributable({ unattributable, otherKinds }: Omit<Attribution, 'sessions'>): RbError {
  const [first] = unattributable;
  const why =
    first === undefined
      ? `all ${otherKinds.length} ran on targets that are no simulation`
      : `of ${unattributable.length} nothing tells which episode they ran; ${first.session.sessionId}: ${first.reason}`;
  return cannotCollect('RB513', 'SESSIONS.md', `No finished session can be reported on: ${why}.`);
}

function cannotCollect(code: 'RB511' | 'RB512' | 'RB513', where: string, message: string): RbError {
  const fix = 'Name a workspace whose SESSIONS.md lists finished sessions, and sessions that are in it.';
  return refusal({ code, where, message, fix });
}
