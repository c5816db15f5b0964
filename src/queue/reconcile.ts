import { isLive, type RunMemory, type SessionMemory } from './run-memory.ts';
import {
  abandoned,
  leftOvers,
  type Pace,
  type QueueEntry,
  type QueueSnapshot,
  standing,
} from './snapshot.ts';

/** What a look at SESSIONS.md says about a session of ours that the memory does not know yet. */
export type Finding =
  /** Announced, but no entry is there: it was never queued (or the write was lost). */
  | { readonly kind: 'unqueued'; readonly session: SessionMemory }
  /** Announced, and the entry is there: only the note of it is missing. */
  | { readonly kind: 'queued'; readonly session: SessionMemory }
  | { readonly kind: 'running'; readonly session: SessionMemory; readonly entry: QueueEntry }
  /** Over: terminal, or left behind by a watchdog that was killed. */
  | { readonly kind: 'settled'; readonly session: SessionMemory; readonly entry: QueueEntry }
  /** Queued, and gone without an end. */
  | { readonly kind: 'vanished'; readonly session: SessionMemory }
  /** Archived, and its entry is gone: removed. */
  | { readonly kind: 'gone'; readonly session: SessionMemory }
  /** Done with, and an entry of its id is there again. */
  | { readonly kind: 'returned'; readonly session: SessionMemory; readonly entry: QueueEntry };

/** Compares the memory with a readable SESSIONS.md. Pure; the order of findings is the order of queueing. */
export function reconcile(memory: RunMemory, snapshot: QueueSnapshot, pace: Pace): readonly Finding[] {
  const dead = new Set(deadEntries(snapshot, pace));
  const findings: Finding[] = [];
  for (const session of memory.sessions.values()) {
    const finding = compare(session, snapshot.byId.get(session.sessionId) ?? null, dead);
    if (finding !== null) findings.push(finding);
  }
  return findings;
}

/** Age alone never ends an episode: of one that ran into silence the outcome is unknown (see `stuckSession`). */
function deadEntries(snapshot: QueueSnapshot, pace: Pace): readonly QueueEntry[] {
  const shortLived = leftOvers(snapshot, pace).filter(({ status }) => status !== 'running');
  return [...abandoned(snapshot), ...shortLived];
}

function compare(
  session: SessionMemory,
  entry: QueueEntry | null,
  dead: ReadonlySet<QueueEntry>,
): Finding | null {
  if (entry === null) return withoutEntry(session);
  if (session.phase === 'closed') return { kind: 'returned', session, entry };
  if (isLive(session) || session.phase === 'settled') {
    return dead.has(entry) ? { kind: 'settled', session, entry } : withEntry(session, entry);
  }
  return null;
}

function withoutEntry(session: SessionMemory): Finding | null {
  switch (session.phase) {
    case 'intent':
      return { kind: 'unqueued', session };
    case 'queued':
    case 'running':
    case 'settled':
      return { kind: 'vanished', session };
    case 'archived':
      return { kind: 'gone', session };
    default:
      return null;
  }
}

function withEntry(session: SessionMemory, entry: QueueEntry): Finding | null {
  if (standing(entry.status) === 'terminal') return { kind: 'settled', session, entry };
  if (session.phase === 'intent') return { kind: 'queued', session };
  const atWork = entry.status === 'running' || entry.status === 'finalizing';
  return atWork && session.phase === 'queued' ? { kind: 'running', session, entry } : null;
}
