import type { Caps } from '../../model/caps.ts';
import type { Arm, Plan } from '../../model/plan.ts';
import type { StopProcess } from '../../verdict/early-stop-course.ts';
import type { SessionMemory } from './run-memory.ts';

/** How a run queues and waits. Times in milliseconds. */
export interface QueueSettings {
  readonly queueWindow: number;
  readonly retryErrors: number;
  readonly maxConsecutiveErrors: number;
  /** How long to probe a broken target or policy before giving up. */
  readonly hostWaitMs: number;
  /** From running to terminal, without the grace. */
  readonly sessionTimeoutMs: number;
  /** Over all, without the time foreign sessions ran. */
  readonly runTimeoutMs: number | null;
  /** Without any movement while nothing runs. */
  readonly stallTimeoutMs: number;
  readonly keepSessions: 'no' | 'end' | 'always';
}

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = {
  queueWindow: 2,
  retryErrors: 1,
  maxConsecutiveErrors: 3,
  hostWaitMs: 15 * 60_000,
  sessionTimeoutMs: 1800_000,
  runTimeoutMs: null,
  stallTimeoutMs: 10 * 60_000,
  keepSessions: 'no',
};

/** What an execution is to do. */
export interface Job {
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
  readonly endpoints: {
    /** Only when the user names another one than TARGETS.md. */
    readonly target: string | null;
    readonly policy: Readonly<Partial<Record<Arm, string>>>;
  };
  readonly settings: QueueSettings;
  /** What a resume compares (head commit, policy identity …), recorded in the journal. */
  readonly identity: Readonly<Record<string, string | null>>;
  /** Bundle folders of earlier, unsealed attempts of this run, oldest first. */
  readonly resume: readonly { readonly attempt: number; readonly bundleDir: string }[];
  /** From `takeLane`; recorded. */
  readonly lane: { readonly waitedMs: number; readonly waitedFor: string | null };
  /** The primer session of discovery, recorded; null when there was none. */
  readonly primer: { readonly sessionId: string; readonly status: string } | null;
  /** Null: the run goes on to its last cell. At its beginning, never used before. */
  readonly earlyStop: StopProcess | null;
  /** What this run may take, of a shard its share; null: no cap. */
  readonly caps: Caps | null;
}

/** What is wrong with a part of the host that was asked. */
export interface Complaint {
  readonly why: string;
  /** It answers, but is another one than the run began with: waiting mends nothing. */
  readonly changed: boolean;
  /** Nothing that anybody waits for will mend it; left out: it may. */
  readonly final?: boolean;
}

/** Of a session, not the policy answered that was met before. */
export interface OtherPolicy {
  /** It was the policy of the other arm. */
  readonly isOtherArm: boolean;
  /** In words. */
  readonly text: string;
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
    /** The lane was lent to others, between two episodes. */
    readonly yieldedMs: number;
    /** Without `yieldedMs`. */
    readonly totalMs: number;
  };
  /** Every session of the run, journaled and judged; evidence in `<bundleDir>/raw/<sessionId>/`. */
  readonly sessions: readonly SessionMemory[];
  /** Sessions of ours still claimed or running when the run ended; a later run or `clean` takes them out. */
  readonly leftRunning: readonly string[];
  readonly warnings: readonly string[];
}

/** How a run that did not come to its end goes on, in words with the command where there is one. */
export function goOnText({ runId, again }: Pick<Job, 'runId' | 'again'>): string {
  return again === undefined ? `start it again with the same inputs and --resume ${runId}` : `\`${again}\``;
}
