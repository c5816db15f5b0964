import type { JournalEvent } from '../../model/journal-events.ts';
import { type Command, say } from './commands.ts';
import type { CellTarget } from './edits.ts';
import type { Complaint, Job, OtherPolicy } from './job.ts';
import { type Meters, startMeters, type View } from './meters.ts';
import { RunMemory, type SessionMemory } from './run-memory.ts';
import { type Pace, type QueueEntry, snapshotOf } from './snapshot.ts';

/** What is asked in turn: what earlier attempts left, rounds until the run is done, and its end. */
export const RULE_ORDER = [
  ...(['begin', 'earlier', 'holdings', 'give_back', 'unheard', 'sweep'] as const),
  ...(['look', 'follow', 'diagnose', 'report', 'halt'] as const),
  ...([
    'stop',
    'stop_back',
    'caps',
    'caps_back',
    'pause',
    'yield',
    'restore',
    'change',
    'done',
    'wait',
  ] as const),
  ...(['suspect', 'stopping', 'back'] as const),
  ...(['last_look', 'last_follow', 'last_change', 'last_targets', 'farewell'] as const),
  ...(['last_sweep', 'look_back', 'put_back', 'conclude'] as const),
] as const;
export type RuleName = (typeof RULE_ORDER)[number];

/** All that one running execution knows. `step` alone makes a new one; everybody else reads, and returns changes. */
export interface State {
  readonly job: Job;
  /** Cell targets by position. */
  readonly targets: ReadonlyMap<number, CellTarget>;
  /** The rule whose commands are being performed, and the one to ask next. */
  readonly at: RuleName;
  readonly next: RuleName;
  /** The journal of this attempt, folded. */
  readonly memory: RunMemory;
  /** So many sessions had been judged when this attempt began. */
  readonly judgedBefore: number;
  readonly view: View;
  /** Of the last look, still to be followed. */
  readonly findings: readonly Finding[];
  /** Entries as archived, for removal. */
  readonly archivedEntries: ReadonlyMap<string, unknown>;
  /** Archived sessions whose entry somebody changed afterwards; recorded as a conflict, to be taken out all the same. */
  readonly changedEntries: ReadonlySet<string>;
  /** Sessions of which an entry was there again after they were archived; what they left then is not theirs. */
  readonly returned: ReadonlySet<string>;
  /** Cell targets of ours that may be in TARGETS.md. */
  readonly standingTargets: ReadonlyMap<string, StandingTarget>;
  readonly pause: PauseState;
  readonly givingWay: GivingWay;
  /** What proves the verdict early; null until it is proven. */
  readonly stopped: ProvenStop | null;
  readonly capWatch: CapWatch;
  /** Of a run that stopped admitting: our pending entries are out, as far as the watchdog had not claimed them. */
  readonly withdrawn: boolean;
  /** New sessions may be queued in this round. */
  readonly admits: boolean;
  /** As `PolicyRecorder.otherPolicy`. */
  readonly otherPolicy: OtherPolicy | null;
  readonly meters: Meters;
  readonly warnings: readonly string[];
  /** Why the run ends before its last cell. */
  readonly halt: Halt | null;
  /** The time that a run stays for its last cell targets; null before its end. */
  readonly farewell: { readonly untilMs: number; readonly isSaid: boolean } | null;
}

/** The moment of a step, by the run's clock in milliseconds since 1970. */
export interface Now {
  readonly ms: number;
  readonly interrupted: boolean;
}

/** What a rule or a reaction wants: `change` is what becomes of the state before the first of the commands. */
export interface Decision {
  readonly change?: Partial<State>;
  readonly commands?: readonly Command[];
}

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

export interface Halt {
  readonly end: 'interrupted' | 'incomplete';
  readonly reason: string;
  /** What to change, when resuming as it is would end at the same place; left out when a resume goes on. */
  readonly cure?: string;
}

export interface StandingTarget {
  readonly contractRef: string;
  /** When a pending session that names it was last withdrawn, and how large SESSIONS.md was then. */
  readonly withdrawn: { readonly atMs: number; readonly documentBytes: number } | null;
}

export type ProvenStop = Extract<JournalEvent, { type: 'early_stop' }>;

/** After infrastructure errors nothing is admitted until target and policy answer. */
interface PauseState {
  /** Null while not paused. */
  readonly sinceMs: number | null;
  /** Paused because something did not answer, so that only its answer ends the pause. */
  readonly outage: boolean;
  /** Target and policies are being asked. */
  readonly asking: boolean;
  /** What they said, as of the last look. */
  readonly answers: readonly Complaint[] | null;
  readonly nextProbeMs: number;
  /** Judged sessions up to here no longer count as errors in a row. */
  readonly forgiven: number;
  /** After so many judged sessions target and policies last answered. */
  readonly verified: number;
  /** Pauses since the last valid episode. */
  readonly rounds: number;
  readonly lastAnswer: string | null;
}

/** Whether the lane is about to be lent. */
interface GivingWay {
  /** To whom, in words; null: to nobody. */
  readonly to: string | null;
  /** Our pending entries are out, as far as the watchdog had not claimed them. */
  readonly isOut: boolean;
  /** So many sessions had been judged when the lane was last taken: each time at least one episode is run. */
  readonly judgedBefore: number;
}

export type CapReached = Extract<JournalEvent, { type: 'cap_reached' }>;

/** What a run knows about its caps while it runs. */
interface CapWatch {
  /** Wall time of the attempts that this one continues. */
  readonly earlierWallMs: number;
  /** Time or bytes are used up: nothing is admitted any more. */
  readonly reached: CapReached['name'] | null;
  /** The last `cap_reached` that was written. */
  readonly said: CapReached | null;
  /** It has the final amounts. */
  readonly ended: boolean;
  readonly usageMs: number;
}

/** Before anything is known or done. */
export function beginning(job: Job, targets: State['targets'], nowMs: number): State {
  return {
    job,
    targets,
    at: 'begin',
    next: 'begin',
    memory: new RunMemory(job.attempt),
    judgedBefore: 0,
    view: {
      snapshot: snapshotOf([], { bytes: 0, fault: null }),
      working: null,
      workingIsOurs: false,
      window: null,
      wanted: null,
    },
    findings: [],
    archivedEntries: new Map(),
    changedEntries: new Set(),
    returned: new Set(),
    standingTargets: new Map(),
    pause: {
      sinceMs: null,
      outage: false,
      asking: false,
      answers: null,
      nextProbeMs: 0,
      forgiven: 0,
      verified: 0,
      rounds: 0,
      lastAnswer: null,
    },
    givingWay: { to: null, isOut: false, judgedBefore: 0 },
    stopped: null,
    capWatch: { earlierWallMs: 0, reached: null, said: null, ended: false, usageMs: nowMs },
    withdrawn: false,
    admits: false,
    otherPolicy: null,
    meters: startMeters(nowMs),
    warnings: [],
    halt: null,
    farewell: null,
  };
}

/** The state once a decision is taken. */
export function after(state: State, { change }: Decision): State {
  return change === undefined ? state : { ...state, ...change };
}

/** One decision of several in order; of one part of the state the last change stands. */
export function joined(...decisions: readonly Decision[]): Decision {
  let change: Partial<State> = {};
  for (const decision of decisions) change = { ...change, ...decision.change };
  return { change, commands: decisions.flatMap(({ commands = [] }) => commands) };
}

/** Says it once in the log, the journal and the report. */
export function warned(state: State, message: string, quiet = false): Decision {
  if (state.warnings.includes(message)) return {};
  return {
    change: { warnings: [...state.warnings, message] },
    commands: [say('warning', message), { type: 'journal', events: [{ type: 'warning', message }], quiet }],
  };
}

export function paceOf({ meters }: State, now: Now): Pace {
  return { nowMs: now.ms, slowestTransitionMs: meters.slowestTransitionMs };
}
