import type { Scheduled } from '../adapter-plan.ts';
import type { Session } from '../session-schema.ts';
import type { EpisodeTimes } from './timed-parts.ts';

/** What the service tells whoever watches it. */
export type ServiceEvent =
  | { readonly event: 'started'; readonly pending: number; readonly working: number }
  | {
      readonly event: 'taken';
      readonly sessionId: string;
      readonly cell: string | null;
      readonly simulator: string | null;
    }
  | SessionEvent
  /** An entry of an earlier host, and what became of it. */
  | { readonly event: 'recovered'; readonly sessionId: string; readonly status: string }
  /** An entry at work that this host did not take. */
  | {
      readonly event: 'left';
      readonly sessionId: string;
      readonly status: string;
      readonly since: string | null;
    }
  /** Nothing is taken for now, and why. */
  | { readonly event: 'waiting'; readonly reason: string }
  | { readonly event: 'going-on' }
  /** Nothing is taken any more. */
  | { readonly event: 'stopped'; readonly reason: string }
  | { readonly event: 'simulator'; readonly endpoint: string; readonly reason: string }
  | { readonly event: 'problem'; readonly message: string }
  | { readonly event: 'bug'; readonly sessionId: string; readonly stack: string }
  | { readonly event: 'ended'; readonly sessions: number };

/** A session that is over, or given back for another try. */
export interface SessionEvent {
  readonly event: 'session';
  readonly sessionId: string;
  readonly cell: string | null;
  readonly status: string;
  readonly seconds: number;
  readonly resetSeconds: number;
  readonly stepsSeconds: number;
  readonly policySeconds: number;
  readonly steps: number | null;
  readonly simulator: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** Suite, task and initial state by the target's config, as far as it names them. */
export function cellOf({ target }: Pick<Scheduled, 'target'>): string | null {
  const { benchmark_name: suite, task_id: task, init_state_id: init } = target.config;
  if (task === undefined && init === undefined) return null;
  const words = [
    ...(suite === undefined ? [] : [String(suite)]),
    ...(task === undefined ? [] : [`task ${String(task)}`]),
    ...(init === undefined ? [] : [`state ${String(init)}`]),
  ];
  return words.join(' ');
}

/** Of a session that ended before anything ran. */
export const NOT_RUN = {
  cell: null,
  simulator: null,
  ms: 0,
  times: { resetMs: 0, stepsMs: 0, policyMs: 0 },
} as const;

export function sessionEvent(
  session: Session,
  about: {
    readonly cell: string | null;
    readonly simulator: string | null;
    readonly ms: number;
    readonly times: EpisodeTimes;
  },
): SessionEvent {
  const { result } = session;
  return {
    event: 'session',
    sessionId: session.session_id,
    cell: about.cell,
    status: session.status,
    seconds: seconds(about.ms),
    resetSeconds: seconds(about.times.resetMs),
    stepsSeconds: seconds(about.times.stepsMs),
    policySeconds: seconds(about.times.policyMs),
    steps: result.num_steps,
    simulator: about.simulator,
    errorCode: result.error_code,
    errorMessage: result.error_message,
  };
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
