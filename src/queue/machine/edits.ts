import type { SessionEntry } from './session-entry.ts';

/** A short-lived target that carries one cell's config. */
export interface CellTarget {
  readonly id: string;
  /** The entry of TARGETS.md. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The content of its contract file; the runtime refuses a contract whose target_id is another. */
  readonly contract: Readonly<Record<string, unknown>>;
  /** Workspace-relative. */
  readonly contractRef: string;
}

export interface TargetsEdit {
  readonly add: readonly CellTarget[];
  readonly remove: readonly string[];
  /** An entry of ours that was changed is put right; otherwise a changed one is refused. */
  readonly repair?: boolean;
}

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
