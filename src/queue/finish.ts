import * as path from 'node:path';
import { ARCHIVE_FILES } from '../outcome/read-archive.ts';
import { parseYamlOrNull } from '../outcome/read-evidence.ts';
import { RAW_FOLDER, readArchive } from './archive.ts';
import { noteCaps } from './caps.ts';
import { type Execution, type ExecutionEnd, record, warn } from './execution.ts';
import type { Halt } from './halt.ts';
import { hostRefusal } from './host-refusal.ts';
import { look } from './look.ts';
import { sweepOtherRuns } from './recover.ts';
import { isLive, type SessionMemory } from './run-memory.ts';
import type { SessionEntry } from './session-entry.ts';
import { checkStillSettled } from './settled-evidence.ts';
import { removeIdleCellTargets } from './standing-targets.ts';
import { turn } from './turn.ts';
import { withdrawPending } from './withdraw.ts';

/** How long a run that was not interrupted stays for its last cell targets to become removable. */
const FAREWELL_MS = 30_000;
const FAREWELL_LOOK_MS = 500;

/** Ends a run: takes back what is pending, cleans up as far as time allows, and says how it ended. */
export async function finish(execution: Execution, halt: Halt | null): Promise<ExecutionEnd> {
  const { input, memory } = execution;
  // Locks and the watchdog may take a minute from here on, and the reason is known now.
  if (halt !== null)
    input.log.info(
      `Stopping: ${halt.reason.replace(/[.?]$/, '')}. What is finished is kept; our entries are taken out of the queue.`,
    );
  if (halt?.end === 'interrupted')
    await quietly(() => record(execution, { type: 'interrupted', reason: halt.reason }));
  await asFarAsPossible(execution, async () => {
    if (halt === null || (await withdrawPending(execution, halt.reason))) return;
    await warn(
      execution,
      'SESSIONS.md stayed locked: our pending sessions are still queued. `clean` takes them out.',
    );
  });
  if (halt?.end !== 'interrupted') {
    await asFarAsPossible(execution, () => tidy(execution));
    await asFarAsPossible(execution, () => sweepOtherRuns(execution));
    await asFarAsPossible(execution, () => checkStillSettled(execution));
    if (input.settings.keepSessions === 'end') await asFarAsPossible(execution, () => putBack(execution));
  }
  return conclude(
    execution,
    halt,
    memory
      .open()
      .filter(isLive)
      .map(({ sessionId }) => sessionId),
  );
}

/** What is measured counts, even if a document cannot be edited any more; the ledger knows what is left. */
async function asFarAsPossible(execution: Execution, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const reason = hostRefusal(error);
    if (reason === null) throw error;
    await quietly(() => warn(execution, `Cleaning up was not possible: ${reason}`));
  }
}

/** For notes of a run that ends because the host refuses to write: the journal may be what cannot be written. */
async function quietly(note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (error) {
    if (hostRefusal(error) === null) throw error;
  }
}

/** Removes archived entries and idle cell targets until none is left or the time for it is over. */
async function tidy(execution: Execution): Promise<void> {
  const { input, standingTargets, documents } = execution;
  const until = input.clock.now() + FAREWELL_MS;
  let isSaid = false;
  for (;;) {
    const { snapshot } = await look(execution);
    if (snapshot.fault === null) {
      await turn(execution, snapshot, []);
      await removeIdleCellTargets(execution, snapshot);
    }
    const entries = execution.memory.open().filter(({ phase }) => phase === 'archived');
    const waiting = standingTargets.size > runningTargets(execution) || entries.length > 0;
    if (!waiting || input.clock.now() > until || input.signal.aborted) break;
    if (!isSaid)
      input.log.info(
        `Waiting up to ${FAREWELL_MS / 1000} s until the last of our entries and cell targets can go: the watchdog may still hold them.`,
      );
    isSaid = true;
    await documents.change(FAREWELL_LOOK_MS, input.signal);
  }
  if (standingTargets.size > 0) {
    await warn(
      execution,
      `${standingTargets.size === 1 ? 'A cell target is' : `${standingTargets.size} cell targets are`} still named by live sessions; \`clean\` takes out what is left when they have ended.`,
    );
  }
}

function runningTargets(execution: Execution): number {
  return new Set(
    execution.memory
      .open()
      .filter(isLive)
      .map(({ cellTarget }) => cellTarget),
  ).size;
}

/** `keep-sessions: end`: the entries of this run return after the last episode, as they were. */
async function putBack(execution: Execution): Promise<void> {
  const { documents, input, ledger, memory, meters } = execution;
  const kept = [...memory.sessions.values()].filter(
    ({ phase, files }) => phase === 'closed' && files.length > 0,
  );
  const entries: SessionEntry[] = [];
  for (const session of kept) {
    const entry = await archivedEntry(path.join(input.bundleDir, RAW_FOLDER), session);
    if (entry !== null) entries.push(entry);
  }
  if (entries.length === 0) return;
  const edited = await documents.editSessions(
    { append: entries, remove: [] },
    {
      timeoutMs: FAREWELL_MS,
      signal: input.signal,
      slowestTransitionMs: meters.slowestTransitionMs,
      onWait: (reason) => input.log.info(`Waiting to change SESSIONS.md: ${reason}.`),
    },
  );
  if (edited === null)
    return warn(execution, 'SESSIONS.md stayed locked: the finished sessions were not put back.');
  const sessionIds = entries.map((entry) => String(entry.session_id));
  await record(execution, { type: 'kept', sessionIds });
  await ledger.append(
    ...sessionIds.map(
      (sessionId) => ({ type: 'released', runId: input.runId, sessionId, how: 'kept' }) as const,
    ),
  );
}

async function archivedEntry(rawDir: string, session: SessionMemory): Promise<SessionEntry | null> {
  const files = await readArchive(rawDir, session.sessionId);
  const file = files.find(({ name }) => name === ARCHIVE_FILES.session);
  const value = parseYamlOrNull(file === undefined ? null : Buffer.from(file.content).toString('utf8'));
  const entry: unknown = Array.isArray(value) ? value[0] : value;
  // Checked on this line: a plain map is an entry.
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    ? (entry as SessionEntry)
    : null;
}

async function conclude(
  execution: Execution,
  halt: Halt | null,
  leftRunning: readonly string[],
): Promise<ExecutionEnd> {
  const { input, memory, meters, warnings, pause } = execution;
  // A run that ends while it is paused was paused until now.
  if (pause.sinceMs !== null) meters.pausedMs += input.clock.now() - pause.sinceMs;
  const totalMs = input.clock.now() - meters.beganMs;
  const { foreignMs, pausedMs, lockMs } = meters;
  const end = halt?.end ?? 'complete';
  const ended = { type: 'ended', end, reason: halt?.reason ?? null, foreignMs, pausedMs, totalMs } as const;
  // A complete run is sealed, and a seal needs the whole journal; any other may lack its last line.
  const note = async (): Promise<void> => {
    await noteCaps(execution);
    await record(execution, ended);
  };
  await (halt === null ? note() : quietly(note));
  return {
    end,
    reason: halt?.reason ?? null,
    cure: halt?.cure ?? null,
    waits: { laneMs: input.lane.waitedMs, foreignMs, pausedMs, lockMs, totalMs },
    sessions: [...memory.sessions.values()],
    leftRunning,
    warnings: [...warnings],
  };
}
