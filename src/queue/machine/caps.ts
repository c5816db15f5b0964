import { roughDuration } from '../../base/rough-duration.ts';
import { bytesText, type Caps } from '../../model/caps.ts';
import { type CapName, capWord, type JournalRecord, type Usage } from '../../model/journal-events.ts';
import { cellStanding, consecutiveErrors, nextAdmissions } from './admission.ts';
import { journal, say } from './commands.ts';
import { isLive, type RunMemory } from './run-memory.ts';
import { after, type CapReached, type Decision, joined, type Now, type State } from './state.ts';

/** How much of a crashed attempt's wall time may be unknown to the next one: so long, or so much of a short cap. */
const USAGE_EVERY_MS = 60_000;
const USAGE_EVERY_SHARE = 0.02;

/** What the run has used so far, its earlier attempts included. */
function usageOf({ meters, capWatch, job, memory }: State, now: Now): Usage {
  const wallMs = capWatch.earlierWallMs + now.ms - meters.beganMs - meters.foreignMs - meters.yieldedMs;
  return {
    sessions: sessionsUsed(memory),
    wallMs: Math.max(0, wallMs),
    artifactBytes: job.caps?.maxArtifactBytes === undefined ? null : bytesUsed(memory),
  };
}

/** Every session that was in the queue, but for those that were taken back before the watchdog claimed them. */
function sessionsUsed(memory: RunMemory): number {
  let used = 0;
  for (const { phase, judgement } of memory.sessions.values())
    if (phase !== 'closed' || judgement !== null) used += 1;
  return used;
}

/** Null when the size of one session is not known: what is unknown cannot be held. */
function bytesUsed(memory: RunMemory): number | null {
  let used = 0;
  for (const { judgement, artifactBytes, files } of memory.sessions.values()) {
    if (judgement === null) continue;
    if (artifactBytes === null) return null;
    used += artifactBytes + files.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  return used;
}

/**
 * Wall time that a journal tells of, in milliseconds: what was last written, and everything up to its last line. A
 * crash loses at most what passed after that line.
 */
export function wallMsIn(records: readonly JournalRecord[]): number {
  const last = records.at(-1);
  const known = records.findLast(({ event }) => event.type === 'usage') ?? records[0];
  if (last === undefined || known === undefined) return 0;
  const written = known.event.type === 'usage' ? known.event.wallMs : 0;
  const since = records.slice(records.indexOf(known) + 1);
  return written + Math.max(0, Date.parse(last.at) - Date.parse(known.at) - yieldedMsIn(since));
}

function yieldedMsIn(records: readonly JournalRecord[]): number {
  return records.reduce((sum, { event }) => sum + (event.type === 'regained' ? event.yieldedMs : 0), 0);
}

/** Cells to queue now: as many as window and caps leave. */
export function admissionsWithin(state: State): readonly number[] {
  const { job, memory } = state;
  // Only what has ended has a size, so the next session waits for it.
  const alone = job.caps?.maxArtifactBytes !== undefined;
  const queueWindow = alone ? 1 : (state.view.window ?? job.settings.queueWindow);
  const rules = { ...job.settings, queueWindow };
  return nextAdmissions(memory, inTurn(state), rules).slice(0, sessionsLeft(state));
}

/** Of arms that take turns, the first one that has something left: the other one's policy is not there yet, or any more. */
function inTurn({ job, memory }: State): readonly number[] {
  const { plan, positions, settings } = job;
  if (plan.order.scheme !== 'sequential') return positions;
  const armOf = (position: number): string | undefined => plan.cells[position]?.arm;
  const first = positions.find((position) => cellStanding(memory, position, settings) !== 'done');
  return first === undefined ? [] : positions.filter((position) => armOf(position) === armOf(first));
}

function sessionsLeft({ job, memory }: State): number {
  const limit = job.caps?.maxSessions;
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - sessionsUsed(memory));
}

/**
 * Rule: looks at time and bytes. When one of them is used up, says so; from then on nothing is admitted, and our pending
 * sessions are taken back, so that at most the running one goes beyond.
 */
export function considerCaps(state: State, now: Now): Decision {
  const { caps } = state.job;
  if (caps === null || state.view.snapshot.fault !== null) return {};
  const capMs = (caps.maxWallTimeS ?? Number.POSITIVE_INFINITY) * 1000;
  const noted = noteUsage(state, now, Math.min(USAGE_EVERY_MS, capMs * USAGE_EVERY_SHARE));
  const reached = state.capWatch.reached ?? usedUp(caps, usageOf(state, now));
  if (reached === null) return noted;
  const marked = { change: { capWatch: { ...after(state, noted).capWatch, reached } } };
  const said = state.capWatch.said === null ? sayReached(after(state, marked), reached, now) : {};
  return joined(noted, marked, said);
}

function usedUp(caps: Caps, { wallMs, artifactBytes }: Usage): CapName | null {
  if (caps.maxWallTimeS !== undefined && wallMs >= caps.maxWallTimeS * 1000) return 'max-wall-time';
  if (caps.maxArtifactBytes === undefined) return null;
  return artifactBytes === null || artifactBytes >= caps.maxArtifactBytes ? 'max-artifact-size' : null;
}

/** Ends a run with cells left, once nothing of ours is in the queue any more. */
export function capHalt(state: State, now: Now): Decision {
  const { job, memory, capWatch } = state;
  if (job.caps === null || memory.open().some((session) => isLive(session) || session.phase === 'settled'))
    return {};
  const name = capWatch.reached ?? (sessionsLeft(state) === 0 ? 'max-sessions' : null);
  if (name === null) return {};
  const said = sayReached(state, name, now);
  const { limit, observed, overshoot } = reachedEvent(name, job.caps, usageOf(state, now));
  const done = job.positions.filter((at) => cellStanding(memory, at, job.settings) === 'done');
  const failed = done.filter((at) => consecutiveErrors(memory.sessionsOf(at)) > 0).length;
  const used =
    observed === null
      ? 'the size of what a session left cannot be read'
      : `${amount(name, observed)} used, ${overshoot === 0 ? 'none' : amount(name, overshoot ?? 0)} beyond it`;
  return joined(said, {
    change: {
      capWatch: { ...after(state, said).capWatch, ended: true },
      next: 'stopping',
      halt: {
        end: 'incomplete',
        reason: `capped: ${capWord(name)} is ${amount(name, limit)} (${used}); ${keptText(done.length - failed, failed, job.positions.length)}`,
        cure: 'A resume has nothing left to use: measure anew, with fewer episodes or a larger cap.',
      },
    },
  });
}

/** An episode that ended in errors as often as it may is finished, and no result. */
function keptText(results: number, failed: number, planned: number): string {
  const errors = failed === 0 ? '' : `, ${failed} ended in errors`;
  return `${results} of ${planned} episodes have a result${errors}; all of it is kept`;
}

function amount(name: CapName, value: number): string {
  if (name === 'max-sessions') return `${value} session${value === 1 ? '' : 's'}`;
  return name === 'max-wall-time' ? roughDuration(value) : bytesText(value);
}

/** Writes `cap_reached` when it was not written yet, or the session that was running then went further. */
function sayReached(state: State, name: CapName, now: Now): Decision {
  const { job, capWatch } = state;
  const event = reachedEvent(name, job.caps ?? {}, usageOf(state, now));
  const { said } = capWatch;
  if (said?.observed === event.observed) return {};
  const text = `The cap ${capWord(name)} is reached: nothing more is queued. What is finished is kept, and what runs may end.`;
  return {
    change: { capWatch: { ...capWatch, said: event } },
    commands: [journal(event), ...(said === null ? [say('warning', text)] : [])],
  };
}

function reachedEvent(name: CapName, caps: Caps, usage: Usage): CapReached {
  const [limit, observed] = {
    'max-sessions': [caps.maxSessions ?? 0, usage.sessions] as const,
    'max-wall-time': [caps.maxWallTimeS ?? 0, Math.round(usage.wallMs) / 1000] as const,
    'max-artifact-size': [caps.maxArtifactBytes ?? 0, usage.artifactBytes] as const,
  }[name];
  // In thousandths, where the subtraction of two decimals would leave a tail of digits.
  const overshoot = observed === null ? null : Math.max(0, Math.round((observed - limit) * 1000) / 1000);
  return { type: 'cap_reached', name, limit, observed, overshoot };
}

/** The last word of a run on its caps: it may be complete, and have gone beyond one with its last session. */
export function noteCaps(state: State, now: Now): Decision {
  const { reached, ended } = state.capWatch;
  const said = reached !== null && !ended ? sayReached(state, reached, now) : {};
  return joined(said, noteUsage(after(state, said), now));
}

/** Writes down what is used, so that neither a crash nor a resume begins to count anew. */
export function noteUsage(state: State, now: Now, everyMs = 0): Decision {
  const { job, capWatch } = state;
  if (job.caps === null || now.ms - capWatch.usageMs < everyMs) return {};
  return {
    change: { capWatch: { ...capWatch, usageMs: now.ms } },
    commands: [journal({ type: 'usage', ...usageOf(state, now) })],
  };
}
