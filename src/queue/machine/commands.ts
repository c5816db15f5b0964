import type { Holdings, LedgerEvent } from '../../lane/ledger.ts';
import type { JournalEvent, JournalRecord } from '../../model/journal-events.ts';
import type { CellTarget, SessionsEdit, SessionsEdited, TargetsEdit } from './edits.ts';
import type { NewSession } from './entries.ts';
import type { Complaint, ExecutionEnd, OtherPolicy } from './job.ts';
import type { SessionMemory } from './run-memory.ts';
import type { SessionEntry } from './session-entry.ts';
import type { QueueEntry, QueueSnapshot } from './snapshot.ts';

/** What `step` wants done. Each is durable before the next one is begun. */
export type Command =
  /** `quiet`: what the host refuses to write is left out, since it may be the journal that cannot be written. */
  | { readonly type: 'journal'; readonly events: readonly JournalEvent[]; readonly quiet?: boolean }
  | { readonly type: 'ledger'; readonly events: readonly LedgerEvent[] }
  /** Ledger and journal at the same time. */
  | {
      readonly type: 'announce';
      readonly owned: readonly LedgerEvent[];
      readonly intents: readonly JournalEvent[];
    }
  | { readonly type: 'say'; readonly level: 'info' | 'warning'; readonly text: string }
  /** Tells whoever watches how far the run is. */
  | { readonly type: 'report' }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'look' }
  /** Archives and judges a session that is over; `entry` is null when it vanished. */
  | { readonly type: 'collect'; readonly session: SessionMemory; readonly entry: QueueEntry | null }
  /** Asks whether the disk is full, and for `all` whether the runtime would refuse a document. */
  | { readonly type: 'diagnose'; readonly of: 'disk' | 'all' }
  /** Begins to ask target and policies; what they answer comes with a later look. */
  | { readonly type: 'ask' }
  /** Lends the lane, and takes it again on a host where what is measured is what it was. */
  | { readonly type: 'give_way' }
  /** When the documents were last changed by anybody. */
  | { readonly type: 'when_changed' }
  | { readonly type: 'fence'; readonly entry: QueueEntry }
  /** Ids and relays for sessions about to be queued; ids of `known` are taken. */
  | {
      readonly type: 'prepare';
      readonly cells: readonly CellToQueue[];
      readonly known: ReadonlyMap<string, unknown>;
    }
  | { readonly type: 'write_contracts'; readonly targets: readonly CellTarget[] }
  | { readonly type: 'edit_targets'; readonly edit: TargetsEdit }
  | { readonly type: 'remove_contracts'; readonly contracts: readonly string[] }
  | EditSessions
  /** Which cell targets TARGETS.md lacks or has with other content. */
  | { readonly type: 'find_damaged'; readonly expected: readonly CellTarget[] }
  | { readonly type: 'read_earlier' }
  /** Copies the evidence of an adopted session into this attempt. */
  | { readonly type: 'copy_archive'; readonly session: SessionMemory }
  | { readonly type: 'read_ledger' }
  /** Takes out what other runs left; everything of `except` is ours. */
  | {
      readonly type: 'sweep';
      readonly except: { readonly sessions: ReadonlySet<string>; readonly cellTargets: ReadonlySet<string> };
    }
  /** Which of these sessions had their evidence written to after it was collected. */
  | { readonly type: 'look_back'; readonly sessions: readonly SessionMemory[] }
  | { readonly type: 'read_kept'; readonly sessionIds: readonly string[] }
  | { readonly type: 'end'; readonly end: ExecutionEnd }
  /** An error that no rule knows how to end with. */
  | { readonly type: 'fail'; readonly error: unknown };

export interface CellToQueue {
  readonly position: number;
  readonly target: CellTarget;
  /** Session attempts of the cell so far. */
  readonly used: readonly number[];
}

/** One locked edit of SESSIONS.md. */
export interface EditSessions {
  readonly type: 'edit_sessions';
  readonly edit: SessionsEdit;
  readonly purpose: Purpose;
  /** Null waits as long as it takes, or until the run is interrupted. */
  readonly timeoutMs: number | null;
  /** Slowest transition seen, for judging a preflight dead. */
  readonly slowestTransitionMs: number;
}

export type Purpose =
  | { readonly for: 'change'; readonly fresh: readonly NewSession[] }
  /** To take pending entries back, whether the run is interrupted meanwhile or not. */
  | { readonly for: 'withdraw'; readonly on: WithdrawalCause; readonly reason: string }
  | { readonly for: 'put_back' };

export type WithdrawalCause = 'resume' | 'stop' | 'cap' | 'yield' | 'end';

/** What came of a command. */
export type Event =
  /** Every command was performed. */
  | { readonly type: 'idle' }
  /** A command that tells nothing was performed. */
  | { readonly type: 'done' }
  | {
      readonly type: 'written';
      readonly journal: readonly JournalEvent[];
      readonly ledger: readonly LedgerEvent[];
    }
  | {
      readonly type: 'looked';
      readonly snapshot: QueueSnapshot;
      /** What our own watchdog can use at once; null: nobody asked, or it says nothing. */
      readonly window: number | null;
      /** Who waits for the lane and passes, in words; null: nobody. */
      readonly wanted: string | null;
      /** Of the last question to target and policies; null while it lasts, or when none was asked. */
      readonly answers: readonly Complaint[] | null;
    }
  /** The lane was lent; null: it is not ours again, because the run was interrupted meanwhile. */
  | { readonly type: 'back'; readonly lent: Lent | null }
  | Collected
  | { readonly type: 'diagnosed'; readonly answer: string | null }
  | { readonly type: 'changed'; readonly changedMs: readonly (number | null)[] }
  | { readonly type: 'prepared'; readonly sessions: readonly NewSession[] }
  /** Null: not to be had in time, or the document is unreadable; nothing was written. */
  | { readonly type: 'edited'; readonly command: EditSessions; readonly edited: SessionsEdited | null }
  | { readonly type: 'damaged'; readonly targets: readonly CellTarget[] }
  | { readonly type: 'earlier'; readonly attempts: readonly EarlierJournal[] }
  /** The archived entry; null when no place has an archive of the session. */
  | {
      readonly type: 'copied';
      readonly session: SessionMemory;
      readonly archive: { readonly body: unknown } | null;
    }
  | { readonly type: 'ledger_read'; readonly holdings: Holdings }
  | { readonly type: 'swept'; readonly sessions: number; readonly cellTargets: number }
  | { readonly type: 'rewritten'; readonly sessionIds: readonly string[] }
  | { readonly type: 'kept_read'; readonly entries: readonly SessionEntry[] }
  /** The host refused a command (a full disk, a document that cannot be edited); what was to follow it is off. */
  | { readonly type: 'refused'; readonly reason: string; readonly error: unknown };

/** A lane that is back. */
export interface Lent {
  readonly yieldedMs: number;
  /** Why the run cannot go on: what it measures is another one now, for example. Null: it can. */
  readonly refusal: string | null;
}

export interface Collected {
  readonly type: 'collected';
  readonly session: SessionMemory;
  readonly entry: QueueEntry | null;
  readonly warnings: readonly string[];
  /** In one write of the journal. */
  readonly events: readonly JournalEvent[];
  /** The entry as archived; null when it vanished or nothing was archived. */
  readonly archive: { readonly body: unknown } | null;
  /** As `PolicyRecorder.otherPolicy`. */
  readonly otherPolicy: OtherPolicy | null;
}

export interface EarlierJournal {
  readonly attempt: number;
  readonly tornBytes: number;
  readonly records: readonly JournalRecord[];
}

/** Durable in the journal, in this order. */
export function journal(...events: readonly JournalEvent[]): Command {
  return { type: 'journal', events };
}

/** Durable in the host's ledger, in this order. */
export function ledger(...events: readonly LedgerEvent[]): Command {
  return { type: 'ledger', events };
}

export function say(level: 'info' | 'warning', text: string): Command {
  return { type: 'say', level, text };
}
