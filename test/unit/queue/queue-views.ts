import { type QueueEntry, type QueueSnapshot, snapshotOf } from '../../../src/queue/machine/snapshot.ts';

export interface EntryWishes {
  readonly target?: string;
  readonly updatedMs?: number | null;
  readonly body?: unknown;
}

export function entry(id: string, status: string, wishes: EntryWishes = {}): QueueEntry {
  const updatedMs = wishes.updatedMs ?? null;
  return {
    id,
    status,
    target: wishes.target ?? 'T',
    updatedMs,
    updatedAt: updatedMs === null ? null : new Date(updatedMs).toISOString(),
    body: () => wishes.body ?? { session_id: id, status },
    lines: () => `- session_id: ${id}\n`,
  };
}

export function queue(...entries: readonly QueueEntry[]): QueueSnapshot {
  return snapshotOf(entries, { bytes: 1000, fault: null });
}
