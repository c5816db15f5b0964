import type { CellTarget } from './cell-target.ts';
import type { SessionEntry } from './session-entry.ts';
import type { QueueSnapshot } from './snapshot.ts';
import type { TargetsEdit } from './targets-document.ts';

/**
 * When an entry of ours may be taken out. `archived`: terminal and equal to what was archived. `pending`: not claimed
 * yet. `idle`: pending, terminal, or certainly left by the watchdog, whatever it says. `given_up`: in any state, because
 * a person says that no watchdog is at it any more.
 */
export type Removal =
  | { readonly id: string; readonly when: 'archived'; readonly archived: unknown }
  | { readonly id: string; readonly when: 'pending' }
  | { readonly id: string; readonly when: 'idle' }
  | { readonly id: string; readonly when: 'given_up' };

/** `busy`: the watchdog is at it, nothing was touched. `unequal`: it differs from the archive, nothing was touched. */
export type RemovalResult = 'removed' | 'absent' | 'busy' | 'unequal';

export interface SessionsEdit {
  readonly append: readonly SessionEntry[];
  readonly remove: readonly Removal[];
}

export interface SessionsEdited {
  readonly removals: ReadonlyMap<string, RemovalResult>;
  /** Size of SESSIONS.md after the edit. */
  readonly bytes: number;
  /** Milliseconds spent waiting for the lock and for a preflight to end. */
  readonly waitedMs: number;
}

export interface EditPatience {
  /** Null waits as long as it takes. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
  /** Slowest transition seen, for judging a preflight dead. */
  readonly slowestTransitionMs: number;
  /** Called about every ten seconds with what is waited for. */
  readonly onWait: (reason: string) => void;
}

/** The documents of one workspace as the queue edits them; every other entry and byte stays as it is. */
export interface QueueDocuments {
  /** SESSIONS.md without the lock; parsed again only when the file changed. */
  sessions(): Promise<QueueSnapshot>;
  /** One locked edit. Null: the lock was not to be had in time; nothing was written. */
  editSessions(edit: SessionsEdit, patience: EditPatience): Promise<SessionsEdited | null>;
  /** Cell targets put in and taken out of TARGETS.md; entries that are already there (or gone) are no error. */
  editTargets(edit: TargetsEdit): Promise<void>;
  /** Which of these TARGETS.md lacks or has with other content; cheap while the file is unchanged. */
  damagedCellTargets(expected: readonly CellTarget[]): Promise<readonly CellTarget[]>;
  writeContract(target: CellTarget): Promise<void>;
  removeContract(contractRef: string): Promise<void>;
  /** Resolves when SESSIONS.md or TARGETS.md may have changed, after `timeoutMs`, or when `signal` aborts. */
  change(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  close(): void;
}
