import { TERMINAL_STATUSES } from '../../outcome/terminal-statuses.ts';

/** One entry of SESSIONS.md as far as the queue must know it; `body` parses the rest on demand. */
export interface QueueEntry {
  readonly id: string;
  readonly status: string;
  /** Id of the target, without its scheme; null when the entry names none. */
  readonly target: string | null;
  /** Milliseconds since 1970 of the last transition; null when it never moved. */
  readonly updatedMs: number | null;
  /** The same as text, as the runtime wrote it. */
  readonly updatedAt: string | null;
  /** The whole entry, parsed. */
  body(): unknown;
  /** The lines of the entry as they stand in the document; null in a document that the runtime did not lay out. */
  lines(): string | null;
}

/** SESSIONS.md at one moment. */
export interface QueueSnapshot {
  readonly bytes: number;
  readonly entries: readonly QueueEntry[];
  readonly byId: ReadonlyMap<string, QueueEntry>;
  /** Why the document cannot be read; its entries are empty then. */
  readonly fault: string | null;
  /** What follows from the entries alone, found at the first question and kept: a run asks each second. */
  readonly facts: {
    /** In a state of work, in the order of the document. */
    working(): readonly QueueEntry[];
    /** Of those, the ones that the watchdog has certainly left. */
    abandoned(): readonly QueueEntry[];
    /** Ids of targets that any pending or active entry names. */
    targetsInUse(): ReadonlySet<string>;
    /** Time of the latest transition of any entry, null when nothing ever moved. */
    latestMove(): number | null;
  };
}

type Standing = 'pending' | 'active' | 'terminal';

/** Pending, at work, or settled. An unknown status counts as at work: such an entry is never touched. */
export function standing(status: string): Standing {
  if (status === 'pending') return 'pending';
  return TERMINAL_STATUSES.has(status) ? 'terminal' : 'active';
}

/** @param held sessions that a watchdog of several simulators has: of these one may move after the other. */
export function snapshotOf(
  entries: readonly QueueEntry[],
  document: { readonly bytes: number; readonly fault: string | null },
  held: ReadonlySet<string> = new Set(),
): QueueSnapshot {
  const byId = new Map<string, QueueEntry>();
  // Of two entries with one id the runtime looks at the first.
  for (const entry of entries) if (!byId.has(entry.id)) byId.set(entry.id, entry);
  const working = once(() => entries.filter(({ status }) => WORKING.has(status)));
  // Only with something at work is it asked who moved after it.
  const moves = once(() =>
    entries.filter(isMove).toSorted((left, right) => (right.updatedMs ?? 0) - (left.updatedMs ?? 0)),
  );
  const facts = {
    working,
    abandoned: once(() => working().filter((entry) => !held.has(entry.id) && isAbandoned(entry, moves()))),
    targetsInUse: once(() => usedTargets(entries)),
    latestMove: once(() => latestOf(entries)),
  };
  return { bytes: document.bytes, fault: document.fault, entries, byId, facts };
}

/** Computes at the first call and keeps the answer. */
function once<T>(compute: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}

/** Facts about the watchdog's pace, gathered while waiting. */
export interface Pace {
  readonly nowMs: number;
  /** Slowest transition seen so far, in milliseconds. */
  readonly slowestTransitionMs: number;
}

/** Shortest age at which an entry in a short state counts as left over. */
const STALE_SHORT_STATE_MS = 120_000;
const STALE_TRANSITIONS = 10;
/** The same for each byte of the document: a transition reads and writes all of it, at 5 ms/kB on a quiet host. */
const STALE_MS_PER_BYTE = 0.15;
/** States that last for moments; only `running` may keep still for a whole episode. */
const SHORT_STATES: ReadonlySet<string> = new Set([
  'claimed',
  'preflight_checking',
  'finalizing',
  'cancelling',
]);
/** Grace beyond a session's own time limit before a running entry counts as left over. */
export const RUNNING_GRACE_MS = 60_000;

/**
 * Is an active entry dead, left over from a killed watchdog? One watchdog runs one session, so an entry is dead when
 * another one moved past pending after it; and when a state of moments has lasted max(120 s, 150 s for each MB of the
 * document, ten times the slowest transition seen), or a running one longer than its own limit and a grace.
 * @param limitMs the execute timeout of the entry in milliseconds, null when unknown.
 */
function isLeftOver(
  entry: QueueEntry,
  snapshot: QueueSnapshot,
  pace: Pace,
  limitMs: number | null = null,
): boolean {
  const since = entry.updatedMs;
  if (since === null) return false;
  if (snapshot.facts.abandoned().includes(entry)) return true;
  const age = pace.nowMs - since;
  if (SHORT_STATES.has(entry.status)) {
    return age > Math.max(shortStateMs(snapshot), STALE_TRANSITIONS * pace.slowestTransitionMs);
  }
  return (
    entry.status === 'running' &&
    limitMs !== null &&
    age > limitMs + Math.max(RUNNING_GRACE_MS, STALE_SHORT_STATE_MS)
  );
}

/**
 * Has another entry moved past pending after this one did? Age alone proves nothing: a watchdog can be stopped.
 * @param moves newest first.
 */
function isAbandoned(entry: QueueEntry, moves: readonly QueueEntry[]): boolean {
  const since = entry.updatedMs;
  if (since === null) return false;
  for (const other of moves) {
    if (other.updatedMs === null || other.updatedMs <= since) return false;
    if (other !== entry && !isVerified(other)) return true;
  }
  return false;
}

/**
 * `cancelled` is set by people's edits, and a verifier moves finished sessions on while the watchdog runs the next one:
 * neither proves that the watchdog has left another entry.
 */
function isMove({ status, updatedMs }: QueueEntry): boolean {
  return status !== 'pending' && status !== 'cancelled' && updatedMs !== null;
}

/** Statuses that a verifier gives. */
const VERIFIER_STATUSES: ReadonlySet<string> = new Set([
  'awaiting_verification',
  'verifying',
  'awaiting_replan',
  'replanned',
]);

/** May a verifier rather than the watchdog have made the last move of this entry? */
function isVerified(entry: QueueEntry): boolean {
  if (VERIFIER_STATUSES.has(entry.status)) return true;
  if (standing(entry.status) !== 'terminal') return false;
  const body = entry.body();
  if (typeof body !== 'object' || body === null || !('verification' in body)) return false;
  const { verification } = body;
  if (typeof verification !== 'object' || verification === null || !('mode' in verification)) return false;
  return verification.mode !== 'off' && verification.mode !== false;
}

/** The entry whose preflight makes any write unsafe now, null when there is none. */
export function livePreflight(snapshot: QueueSnapshot, pace: Pace): QueueEntry | null {
  const checking = snapshot.facts.working().filter((entry) => entry.status === 'preflight_checking');
  return checking.find((entry) => !isLeftOver(entry, snapshot, pace)) ?? null;
}

/** States in which an entry occupies the watchdog; one that waits for a verifier does not. */
const WORKING: ReadonlySet<string> = new Set([...SHORT_STATES, 'running']);

/** Entries in a short state that nothing will ever move again. */
export function leftOvers(snapshot: QueueSnapshot, pace: Pace): readonly QueueEntry[] {
  return snapshot.facts
    .working()
    .filter((entry) => isLeftOver(entry, snapshot, pace, limitOf(entry) ?? RUNTIME_LIMIT_MS));
}

/** Entries in a state of work that the watchdog has certainly left. */
export function abandoned(snapshot: QueueSnapshot): readonly QueueEntry[] {
  return snapshot.facts.abandoned();
}

/** Entries that may still be at work: all in such a state that the watchdog has not certainly left. */
export function perhapsAtWork(snapshot: QueueSnapshot): readonly QueueEntry[] {
  const left = snapshot.facts.abandoned();
  return snapshot.facts.working().filter((entry) => !left.includes(entry));
}

/** The longest that an entry may stay as it is, in milliseconds; null when its own limit is unknown. */
export function timeAllowedMs(entry: QueueEntry, snapshot: QueueSnapshot): number | null {
  return SHORT_STATES.has(entry.status) ? shortStateMs(snapshot) : limitOf(entry);
}

function shortStateMs({ bytes }: QueueSnapshot): number {
  return Math.max(STALE_SHORT_STATE_MS, STALE_MS_PER_BYTE * bytes);
}

/** The entry at work now, null when nothing runs (left-overs do not count). */
export function atWork(snapshot: QueueSnapshot, pace: Pace): QueueEntry | null {
  const working = snapshot.facts.working();
  return (
    working.find((entry) => !isLeftOver(entry, snapshot, pace, limitOf(entry) ?? RUNTIME_LIMIT_MS)) ?? null
  );
}

/** As the runtime takes it when an entry does not tell. */
const RUNTIME_LIMIT_MS = 300_000;

/** `timeouts.execute_timeout_s` in milliseconds, null when the entry does not tell. */
function limitOf(entry: QueueEntry): number | null {
  if (entry.status !== 'running') return null;
  const body = entry.body();
  if (typeof body !== 'object' || body === null || !('timeouts' in body)) return null;
  const { timeouts } = body;
  if (typeof timeouts !== 'object' || timeouts === null || !('execute_timeout_s' in timeouts)) return null;
  const seconds = Number(timeouts.execute_timeout_s);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

/** Ids of targets that any pending or active entry names. */
export function targetsInUse(snapshot: QueueSnapshot): ReadonlySet<string> {
  return snapshot.facts.targetsInUse();
}

function usedTargets(entries: readonly QueueEntry[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const entry of entries) {
    if (entry.target !== null && standing(entry.status) !== 'terminal') used.add(entry.target);
  }
  return used;
}

/** Time of the latest transition of any entry, null when nothing ever moved. */
export function latestMove(snapshot: QueueSnapshot): number | null {
  return snapshot.facts.latestMove();
}

function latestOf(entries: readonly QueueEntry[]): number | null {
  let latest: number | null = null;
  for (const { updatedMs } of entries) {
    if (updatedMs !== null && (latest === null || updatedMs > latest)) latest = updatedMs;
  }
  return latest;
}
