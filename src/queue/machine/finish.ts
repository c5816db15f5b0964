import type { LedgerEvent } from '../../lane/ledger.ts';
import type { JournalEvent } from '../../model/journal-events.ts';
import { noteCaps } from './caps.ts';
import { type Command, type EditSessions, journal, ledger, say } from './commands.ts';
import type { ExecutionEnd } from './job.ts';
import { isLive } from './run-memory.ts';
import type { SessionEntry } from './session-entry.ts';
import { after, type Decision, joined, type Now, type RuleName, type State, warned } from './state.ts';
import { withdrawPending } from './withdraw.ts';

/** How long a run that was not interrupted stays for its last cell targets to become removable. */
const FAREWELL_MS = 30_000;
const FAREWELL_LOOK_MS = 500;

/** Where an end goes on that cannot do a part of its cleaning. */
const NEXT_PART: Readonly<Partial<Record<RuleName, RuleName>>> = {
  back: 'last_look',
  last_look: 'last_sweep',
  last_follow: 'last_sweep',
  last_change: 'last_sweep',
  last_targets: 'last_sweep',
  farewell: 'last_sweep',
  last_sweep: 'look_back',
  look_back: 'put_back',
  put_back: 'conclude',
};

/**
 * Reaction: what the host refuses (a full disk, a document that cannot be edited) ends a run like any other stop: what
 * is finished is kept, what is pending is taken back. Once it is ending, what is measured counts even if a document cannot
 * be edited any more; the ledger knows what is left.
 */
export function refused(state: State, reason: string, error: unknown): Decision {
  const next = state.at === 'back' ? state.next : NEXT_PART[state.at];
  if (next !== undefined)
    return joined(warned(state, `Cleaning up was not possible: ${reason}`, true), { change: { next } });
  if (state.at === 'conclude' || state.memory.sessions.size === 0)
    return { commands: [{ type: 'fail', error }] };
  return { change: { halt: { end: 'incomplete', reason }, next: 'stopping' } };
}

/** Rule: says why a run ends early. Locks and the watchdog may take a minute from here on. */
export function sayStopping({ halt }: State): Decision {
  const change = { admits: false };
  if (halt === null) return { change };
  const text = `Stopping: ${halt.reason}${/[.?!]$/.test(halt.reason) ? '' : '.'} What is finished is kept; our entries are taken out of the queue.`;
  const { reason } = halt;
  return {
    change,
    commands: [
      say('info', text),
      ...(halt.end === 'interrupted'
        ? [{ type: 'journal', events: [{ type: 'interrupted', reason }], quiet: true } as const]
        : []),
    ],
  };
}

/** Rule: what is pending goes. An interrupted run does no more than that. */
export function takeBack(state: State, now: Now): Decision {
  const { halt } = state;
  if (halt === null) return {};
  const next: Decision = halt.end === 'interrupted' ? { change: { next: 'conclude' } } : {};
  return joined(next, withdrawPending(state, 'end', halt.reason, now));
}

/** Rule: the first of several last looks begins the time that the run stays. */
export function lastLook({ farewell }: State, now: Now): Decision {
  return {
    change: { farewell: farewell ?? { untilMs: now.ms + FAREWELL_MS, isSaid: false } },
    commands: [{ type: 'look' }],
  };
}

/** Rule: stays until no archived entry and no idle cell target is left, or the time for it is over. */
export function stay(state: State, now: Now): Decision {
  const { memory, standingTargets, farewell } = state;
  const open = memory.open();
  const running = new Set(open.filter(isLive).map(({ cellTarget }) => cellTarget)).size;
  const waits = standingTargets.size > running || open.some(({ phase }) => phase === 'archived');
  if (waits && !now.interrupted && farewell !== null && now.ms <= farewell.untilMs) {
    const text = `Waiting up to ${FAREWELL_MS / 1000} s until the last of our entries and cell targets can go: the watchdog may still hold them.`;
    const said: readonly Command[] = farewell.isSaid ? [] : [say('info', text)];
    return {
      change: { farewell: { ...farewell, isSaid: true }, next: 'last_look' },
      commands: [...said, { type: 'wait', ms: FAREWELL_LOOK_MS }],
    };
  }
  if (standingTargets.size === 0) return {};
  const which = standingTargets.size === 1 ? 'A cell target is' : `${standingTargets.size} cell targets are`;
  return warned(
    state,
    `${which} still named by live sessions; \`clean\` takes out what is left when they have ended.`,
  );
}

/** Rule: an episode.json that was written to since it was collected makes its session a conflict. */
export function lookBack({ memory, returned }: State): Decision {
  // What ran again after its archive is left out, since its new result does not count.
  const sessions = [...memory.sessions.values()].filter(({ sessionId, judgement }) => {
    return !returned.has(sessionId) && judgement?.outcome !== 'conflict';
  });
  return { commands: [{ type: 'look_back', sessions }] };
}

/** Reaction. */
export function rewritten(state: State, sessionIds: readonly string[]): Decision {
  const reason = 'its episode.json was written to after it had been collected; the archive was kept';
  return sessionIds.reduce<Decision>((before, sessionId) => {
    const conflict = journal({ type: 'conflict', sessionId, reason });
    const text = `artifacts/runtime/${sessionId}: ${reason}.`;
    return joined(before, { commands: [conflict] }, warned(after(state, before), text));
  }, {});
}

/** Rule: with `keep-sessions: end` the entries of this run return after the last episode, as they were. */
export function readKept({ job, memory }: State): Decision {
  if (job.settings.keepSessions !== 'end') return {};
  const kept = [...memory.sessions.values()].filter(
    ({ phase, files }) => phase === 'closed' && files.length > 0,
  );
  return { commands: [{ type: 'read_kept', sessionIds: kept.map(({ sessionId }) => sessionId) }] };
}

/** Reaction. */
export function putBack({ meters }: State, append: readonly SessionEntry[]): Decision {
  if (append.length === 0) return {};
  const { slowestTransitionMs } = meters;
  const edit = { append, remove: [] };
  return {
    commands: [
      {
        type: 'edit_sessions',
        edit,
        purpose: { for: 'put_back' },
        timeoutMs: FAREWELL_MS,
        slowestTransitionMs,
      },
    ],
  };
}

/** Reaction. */
export function isBack(state: State, { edit }: EditSessions, isEdited: boolean): Decision {
  if (!isEdited) return warned(state, 'SESSIONS.md stayed locked: the finished sessions were not put back.');
  const { runId } = state.job;
  const sessionIds = edit.append.map((entry) => String(entry.session_id));
  const events = sessionIds.map((sessionId): LedgerEvent => {
    return { type: 'released', runId, sessionId, how: 'kept' };
  });
  return {
    commands: [journal({ type: 'kept', sessionIds }), ledger(...events)],
  };
}

/** Whoever interrupts a run does not wait for its cell targets to go. Those of sessions that still run are told of with them. */
function leftTargets({ memory, standingTargets }: State): readonly Command[] {
  const named = new Set(
    memory
      .open()
      .filter(isLive)
      .map(({ cellTarget }) => cellTarget),
  );
  const left = [...standingTargets.keys()].filter((id) => !named.has(id)).length;
  if (left === 0) return [];
  const what = left === 1 ? 'One cell target is' : `${left} cell targets are`;
  return [
    say('info', `${what} still in TARGETS.md; a resume, a later run or \`clean\` takes out what is left.`),
  ];
}

/** Rule: the last lines of the journal, and what the caller is told. */
export function conclude(state: State, now: Now): Decision {
  const { job, memory, pause, meters, halt } = state;
  // A run that ends while it is paused was paused until now.
  const pausedMs = meters.pausedMs + (pause.sinceMs === null ? 0 : now.ms - pause.sinceMs);
  const { foreignMs, lockMs, yields, yieldedMs } = meters;
  const lent = yields === 0 ? {} : { yields, yieldedMs };
  const totalMs = now.ms - meters.beganMs - meters.yieldedMs;
  const { end, reason } = halt ?? ({ end: 'complete', reason: null } as const);
  const ended: JournalEvent = { type: 'ended', end, reason, foreignMs, pausedMs, totalMs, ...lent };
  const { change = {}, commands: capped = [] } = noteCaps(state, now);
  const commands = [...capped, ...(halt?.end === 'interrupted' ? leftTargets(state) : [])];
  // A complete run is sealed, and a seal needs the whole journal; any other may lack its last line.
  const notes = [...commands, journal(ended)].map((note): Command => {
    return note.type === 'journal' ? { ...note, quiet: halt !== null } : note;
  });
  const told: ExecutionEnd = {
    end,
    reason,
    cure: halt?.cure ?? null,
    waits: { laneMs: job.lane.waitedMs, foreignMs, pausedMs, lockMs, yieldedMs, totalMs },
    sessions: [...memory.sessions.values()],
    leftRunning: memory
      .open()
      .filter(isLive)
      .map(({ sessionId }) => sessionId),
    warnings: state.warnings,
  };
  return { change, commands: [...notes, { type: 'end', end: told }] };
}
