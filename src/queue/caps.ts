import { roughDuration } from '../base/rough-duration.ts';
import { bytesText, type Caps } from '../model/caps.ts';
import type { CapName, JournalEvent, JournalRecord, Usage } from '../model/journal-events.ts';
import { cellStanding, nextAdmissions } from './admission.ts';
import { type Execution, record } from './execution.ts';
import type { Halt } from './halt.ts';
import { isLive, type RunMemory } from './run-memory.ts';
import { withdrawPending } from './withdraw.ts';

/** How much of a crashed attempt's wall time may be unknown to the next one: so long, or so much of a short cap. */
const USAGE_EVERY_MS = 60_000;
const USAGE_EVERY_SHARE = 0.02;

/** What a run knows about its caps while it runs. */
export interface CapWatch {
  /** Wall time of the attempts that this one continues. */
  earlierWallMs: number;
  /** Time or bytes are used up: nothing is admitted any more. */
  reached: CapName | null;
  /** Our pending entries are out of the queue, as far as the watchdog had not claimed them. */
  withdrawn: boolean;
  /** The last `cap_reached` that was written. */
  said: Reached | null;
  /** It has the final amounts. */
  ended: boolean;
  usageMs: number;
}

type Reached = Extract<JournalEvent, { type: 'cap_reached' }>;

export function startCapWatch(nowMs: number): CapWatch {
  return { earlierWallMs: 0, reached: null, withdrawn: false, said: null, ended: false, usageMs: nowMs };
}

/** What the run has used so far, its earlier attempts included. */
function usageOf(execution: Execution, memory: RunMemory = execution.memory): Usage {
  const { meters, capWatch, input } = execution;
  const wallMs = capWatch.earlierWallMs + input.clock.now() - meters.beganMs - meters.foreignMs;
  return {
    sessions: sessionsUsed(memory),
    wallMs: Math.max(0, wallMs),
    artifactBytes: input.caps?.maxArtifactBytes === undefined ? null : bytesUsed(memory),
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
  return written + Math.max(0, Date.parse(last.at) - Date.parse(known.at));
}

/** Cells to queue now: as many as window and caps leave. */
export function admissionsWithin(execution: Execution): readonly number[] {
  const { input, memory } = execution;
  // Only what has ended has a size, so the next session waits for it.
  const alone = input.caps?.maxArtifactBytes !== undefined;
  const rules = alone ? { ...input.settings, queueWindow: 1 } : input.settings;
  return nextAdmissions(memory, input.positions, rules).slice(0, sessionsLeft(execution));
}

function sessionsLeft({ input, memory }: Execution): number {
  const limit = input.caps?.maxSessions;
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - sessionsUsed(memory));
}

/**
 * Looks at time and bytes. When one of them is used up: says so, and takes our pending sessions back, so that at most
 * the running one goes beyond. True from then on: nothing is admitted any more.
 */
export async function considerCaps(execution: Execution): Promise<boolean> {
  const { input, capWatch } = execution;
  if (input.caps == null) return false;
  const capMs = (input.caps.maxWallTimeS ?? Number.POSITIVE_INFINITY) * 1000;
  await noteUsage(execution, { everyMs: Math.min(USAGE_EVERY_MS, capMs * USAGE_EVERY_SHARE) });
  capWatch.reached ??= usedUp(input.caps, usageOf(execution));
  if (capWatch.reached === null) return false;
  if (capWatch.said === null) await sayReached(execution, capWatch.reached);
  if (!capWatch.withdrawn)
    capWatch.withdrawn = await withdrawPending(execution, `the cap ${capWatch.reached} is reached`);
  return true;
}

function usedUp(caps: Caps, { wallMs, artifactBytes }: Usage): CapName | null {
  if (caps.maxWallTimeS !== undefined && wallMs >= caps.maxWallTimeS * 1000) return 'max-wall-time';
  if (caps.maxArtifactBytes === undefined) return null;
  return artifactBytes === null || artifactBytes >= caps.maxArtifactBytes ? 'max-artifact-size' : null;
}

/** Why the run ends with cells left, once nothing of ours is in the queue any more; null while it may go on. */
export async function capHalt(execution: Execution): Promise<Halt | null> {
  const { input, memory, capWatch } = execution;
  if (input.caps == null) return null;
  if (memory.open().some((session) => isLive(session) || session.phase === 'settled')) return null;
  const name = capWatch.reached ?? (sessionsLeft(execution) === 0 ? 'max-sessions' : null);
  if (name === null) return null;
  const { limit, observed, overshoot } = await sayReached(execution, name);
  capWatch.ended = true;
  const done = input.positions.filter((at) => cellStanding(memory, at, input.settings) === 'done').length;
  const used =
    observed === null
      ? 'the size of what a session left cannot be read'
      : `${amount(name, observed)} used, ${overshoot === 0 ? 'none' : amount(name, overshoot ?? 0)} beyond it`;
  return {
    end: 'incomplete',
    reason: `capped: ${name} is ${amount(name, limit)} (${used}); ${done} of ${input.positions.length} episodes are done and kept`,
    cure: 'A resume has nothing left to use: measure anew, with fewer episodes or a larger cap.',
  };
}

function amount(name: CapName, value: number): string {
  if (name === 'max-sessions') return `${value} session${value === 1 ? '' : 's'}`;
  return name === 'max-wall-time' ? roughDuration(value) : bytesText(value);
}

/** Writes `cap_reached` when it was not written yet, or the session that was running then went further. */
async function sayReached(execution: Execution, name: CapName): Promise<Reached> {
  const { input, capWatch } = execution;
  const event = reachedEvent(name, input.caps ?? {}, usageOf(execution));
  const { said } = capWatch;
  if (said?.observed === event.observed) return said;
  await record(execution, event);
  if (said === null)
    input.log.warning(
      `The cap ${name} is reached: nothing more is queued. What is finished is kept, and what runs may end.`,
    );
  capWatch.said = event;
  return event;
}

function reachedEvent(name: CapName, caps: Caps, usage: Usage): Reached {
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
export async function noteCaps(execution: Execution): Promise<void> {
  const { reached, ended } = execution.capWatch;
  if (reached !== null && !ended) await sayReached(execution, reached);
  await noteUsage(execution);
}

/** Writes down what is used, so that neither a crash nor a resume begins to count anew. */
export async function noteUsage(
  execution: Execution,
  { everyMs = 0, memory = execution.memory }: { everyMs?: number; memory?: RunMemory } = {},
): Promise<void> {
  const { input, capWatch } = execution;
  const now = input.clock.now();
  if (input.caps == null || now - capWatch.usageMs < everyMs) return;
  capWatch.usageMs = now;
  await record(execution, { type: 'usage', ...usageOf(execution, memory) });
}
