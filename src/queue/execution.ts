import type { Caps } from '../model/caps.ts';
import type { Judgement } from '../model/journal-events.ts';
import type { Arm, Plan } from '../model/plan.ts';
import type { Clock, Log } from '../platform/ports.ts';
import type { StopProcess } from '../verdict/sequential-stop.ts';
import type { BaseTarget } from './cell-target.ts';
import type { PolicyRecorder } from './policy-recorder.ts';
import type { SessionMemory } from './run-memory.ts';
import type { QueueSettings } from './settings.ts';

/** What is wrong with a part of the host that was asked. */
export interface Complaint {
  readonly why: string;
  /** It answers, but is another one than the run began with: waiting mends nothing. */
  readonly changed: boolean;
}

/** Does the part of the host answer as it did when the run began? `null` is yes. Never rejects. */
export type Probe = (signal: AbortSignal) => Promise<Complaint | null>;

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly successes: number;
  readonly valid: number;
  /** Estimate from the finished cells of this attempt, null before the first. */
  readonly leftMs: number | null;
  /** What is going on, in one line. */
  readonly state: string;
  /** The run has been waiting for this long enough that whoever watches should be told. */
  readonly notice: boolean;
  /** The session that was judged last, null before the first. */
  readonly last: {
    readonly sessionId: string;
    readonly position: number;
    readonly judgement: Judgement;
  } | null;
}

export interface ExecutionInput {
  /** Absolute. */
  readonly workspace: string;
  /** Absolute; of this attempt, without a journal. */
  readonly bundleDir: string;
  readonly runId: string;
  /** What goes on with the run when it does not come to its end, as a command; left out: nothing does. */
  readonly again?: string;
  readonly attempt: number;
  readonly plan: Plan;
  readonly planDigest: string;
  /** Indexes into plan.cells that this run executes, ascending; a shard has not all. */
  readonly positions: readonly number[];
  readonly base: BaseTarget;
  readonly endpoints: {
    /** Only when the user names another one than TARGETS.md. */
    readonly target: string | null;
    readonly policy: Readonly<Partial<Record<Arm, string>>>;
  };
  /** Records what the policies answer; left out or null: sessions ask the policies themselves. */
  readonly recorder?: PolicyRecorder | null;
  readonly settings: QueueSettings;
  /** What a resume compares (head commit, policy identity …), recorded in the journal. */
  readonly identity: Readonly<Record<string, string | null>>;
  /** Bundle folders of earlier, unsealed attempts of this run, oldest first. */
  readonly resume: readonly { readonly attempt: number; readonly bundleDir: string }[];
  /** From `takeLane`; recorded. */
  readonly lane: { readonly waitedMs: number; readonly waitedFor: string | null };
  /** The primer session of discovery, recorded; null when there was none. */
  readonly primer: { readonly sessionId: string; readonly status: string } | null;
  /** Target first, then the policies; asked after connection errors, and while paused. */
  readonly probes: readonly Probe[];
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Told at every look: sessions of others that wait or run. */
  readonly onOthers?: (count: number) => void;
  /** Takes secrets out of messages that are journaled; left out: there are none to take out. */
  readonly mask?: (text: string) => string;
  /** Left out or null: the run goes on to its last cell. At its beginning, never used before. */
  readonly earlyStop?: StopProcess | null;
  /** What this run may take, of a shard its share; left out or null: no cap. */
  readonly caps?: Caps | null;
  /** Problems of the documents as the runtime would find them, in one line; null when there is none. */
  readonly diagnose?: () => Promise<string | null>;
}

export interface ExecutionEnd {
  readonly end: 'complete' | 'interrupted' | 'incomplete';
  /** Why not complete, in one sentence with what is kept and what to do; null when complete. */
  readonly reason: string | null;
  /** What to change before it is worth starting again; null when a resume can go on, or nothing is left to do. */
  readonly cure: string | null;
  readonly waits: {
    readonly laneMs: number;
    /** Foreign sessions ran while ours waited. */
    readonly foreignMs: number;
    /** Paused after infrastructure errors. */
    readonly pausedMs: number;
    /** For the lock on SESSIONS.md and foreign preflights. */
    readonly lockMs: number;
    readonly totalMs: number;
  };
  /** Every session of the run, journaled and judged; evidence in `<bundleDir>/raw/<sessionId>/`. */
  readonly sessions: readonly SessionMemory[];
  /** Sessions of ours still claimed or running when the run ended; a later run or `clean` takes them out. */
  readonly leftRunning: readonly string[];
  readonly warnings: readonly string[];
}
