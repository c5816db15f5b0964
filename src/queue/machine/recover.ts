import type { JournalEvent } from '../../model/journal-events.ts';
import { UNHEARD } from './admission.ts';
import { noteUsage, wallMsIn } from './caps.ts';
import { type Command, type EarlierJournal, journal } from './commands.ts';
import { isLive, RunMemory, type SessionMemory } from './run-memory.ts';
import { after, type Decision, joined, type Now, type State, warned } from './state.ts';
import { withdrawPending } from './withdraw.ts';

/**
 * Reaction: takes over what earlier attempts of this run left: finished cells with their evidence, sessions still in the
 * queue. Nothing of an earlier attempt is edited.
 */
export function takeOver(state: State, attempts: readonly EarlierJournal[], now: Now): Decision {
  const earlier = attempts.reduce(
    (memory, { attempt, records }) =>
      memory.with(
        records.map(({ event }) => event),
        attempt,
      ),
    new RunMemory(1),
  );
  const torn = attempts.filter(({ tornBytes }) => tornBytes > 0);
  const wallMs = Math.max(0, ...attempts.map(({ records }) => wallMsIn(records)));
  const counted: Decision = { change: { capWatch: { ...state.capWatch, earlierWallMs: wallMs } } };
  // Each attempt begins with what was used before, so that any number of crashes adds up.
  const used = noteUsage({ ...after(state, counted), memory: earlier }, now);
  const noted = torn.map(({ attempt, tornBytes }): Command => {
    return journal({ type: 'torn', attempt, bytes: tornBytes });
  });
  const copies = [...earlier.sessions.values()].map((session): Command => {
    return { type: 'copy_archive', session };
  });
  return joined(counted, { commands: noted }, used, { commands: copies });
}

/** Reaction: a session of an earlier attempt, with its evidence copied, becomes one of this attempt. */
export function adopted(
  { archivedEntries }: State,
  session: SessionMemory,
  archive: { readonly body: unknown } | null,
): Decision {
  const { sessionId, position, sessionAttempt, cellTarget, fromAttempt, relay, phase } = session;
  const place = {
    ...{ sessionId, position, sessionAttempt, cellTarget, fromAttempt },
    ...(relay === null ? {} : { relay }),
  };
  const events: JournalEvent[] = [{ type: 'adopted', ...place }, ...replayOf(session, archive !== null)];
  const isRemovable = phase === 'archived' && archive !== null;
  return {
    change: isRemovable ? { archivedEntries: new Map(archivedEntries).set(sessionId, archive.body) } : {},
    commands: [journal(...events)],
  };
}

/** The events that bring an adopted session to where the earlier attempt left it. */
function replayOf(session: SessionMemory, hasArchive: boolean): JournalEvent[] {
  const { sessionId, judgement, phase } = session;
  if (judgement === null) return replayOpen(session, hasArchive);
  if (judgement.outcome === 'lost') {
    const reason = judgement.errorMessage ?? 'lost in an earlier attempt';
    return [{ type: 'lost', sessionId, reason, ...sized(session) }];
  }
  const events: JournalEvent[] = [];
  if (judgement.outcome === 'conflict') {
    events.push({
      type: 'conflict',
      sessionId,
      reason: judgement.errorMessage ?? 'recorded in an earlier attempt',
    });
  }
  const { files, omitted, startedAt, finishedAt, durationMs } = session;
  events.push({
    type: 'collected',
    sessionId,
    ...judgement,
    files: [...files],
    omitted: [...omitted],
    startedAt,
    finishedAt,
    durationMs,
    ...sized(session),
  });
  if (session.weighed !== null)
    events.push({
      type: 'weighed',
      sessionId,
      counts: session.weighed === 'counts',
      reason: 'as in an earlier attempt',
    });
  if (phase === 'closed') events.push({ type: 'removed', sessionId });
  if (phase === 'kept') events.push({ type: 'kept', sessionIds: [sessionId] });
  return events;
}

/** Absent stays absent: only a run with a cap on it measures it. */
function sized({ artifactBytes }: SessionMemory): { artifactBytes?: number } {
  return artifactBytes === null ? {} : { artifactBytes };
}

/**
 * Sessions without a judgement: withdrawn ones stay out, others go on from where they were. One with an archive was in
 * the queue for certain, even if the note of it is missing.
 */
function replayOpen(session: SessionMemory, hasArchive: boolean): JournalEvent[] {
  const { sessionId, phase, runningStamp } = session;
  if (phase === 'closed')
    return [{ type: 'discarded', sessionId, reason: 'withdrawn in an earlier attempt' }];
  if (phase === 'intent' && !hasArchive) return [];
  const events: JournalEvent[] = [{ type: 'queued', sessionId }];
  if (runningStamp !== null) events.push({ type: 'running', sessionId, updatedAt: runningStamp });
  return events;
}

/** Rule: pending sessions of an earlier attempt name relays that ended with it, so they would only fail. */
export function withdrawUnheard(state: State, now: Now): Decision {
  const unheard = state.memory.open().some((session) => isLive(session) && session.relay !== null);
  return unheard ? withdrawPending(state, 'resume', UNHEARD, now) : {};
}

/** Rule: takes out what other runs left on this host; what must still stay goes with the next time. */
export function sweepOtherRuns({ memory, standingTargets }: State): Decision {
  const cellTargets = new Set([
    ...standingTargets.keys(),
    ...memory.open().map(({ cellTarget }) => cellTarget),
  ]);
  return {
    commands: [{ type: 'sweep', except: { sessions: new Set(memory.sessions.keys()), cellTargets } }],
  };
}

/** Reaction. */
export function swept(state: State, sessions: number, cellTargets: number): Decision {
  if (sessions + cellTargets === 0) return {};
  return warned(state, `Cleaned up after an earlier run: ${sessions} sessions, ${cellTargets} cell targets.`);
}
