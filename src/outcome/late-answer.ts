/** How long the client of the runtime's own watchdog waits for an answer; no field of a session or target changes it. */
const RPC_LIMIT_S = 30;

/** Steps of a session as the protocol names them, and what each does. */
const STEPS: Readonly<Record<string, string>> = {
  'target.configure_session': 'configuring the session',
  'target.start_session': 'starting the session',
  'target.reset': 'building and resetting the simulator',
  'target.observation': 'rendering an observation',
  'target.observe': 'rendering an observation',
  'target.action_chunk': 'executing a chunk of actions',
  'target.execution_status': 'answering for its status',
  'target.close': 'closing the simulator',
};

/** `… returned mismatched response: type 'target.reset' != 'target.close', seq 3 != 4` */
const MISMATCH = /target RPC (target\.\w+) returned mismatched response:(.*)$/s;
const TYPES = /\btype '+(target\.\w+)'+ != /;
const SEQUENCE = /\bseq (\d+) != (\d+)/;
/** `target RPC target.reset failed: timed out`, in the words of several WebSocket libraries. */
const TIMED_OUT = /target RPC (target\.\w+) failed:.*\btime(?:d[ _-]?)?out(?:error)?\b/is;

/**
 * The step of a session that answered later than the runtime waits, as an error text tells it; null for any other text.
 * After such a step the runtime closes the target and takes the late answer for the answer to that: a mismatch whose number
 * is an earlier request's. Pure.
 */
export function lateStep(message: string | null): string | null {
  if (message === null) return null;
  const timedOut = TIMED_OUT.exec(message);
  if (timedOut?.[1] !== undefined) return timedOut[1];
  const mismatch = MISMATCH.exec(message);
  const [, got, wanted] = SEQUENCE.exec(mismatch?.[2] ?? '') ?? [];
  if (mismatch === null || got === undefined || !(Number(got) < Number(wanted))) return null;
  return TYPES.exec(mismatch[2] ?? '')?.[1] ?? mismatch[1] ?? null;
}

/** What happened behind such a text and what to do about it, in one sentence; null for any other text. Pure. */
export function lateAnswerText(message: string | null): string | null {
  const step = lateStep(message);
  if (step === null) return null;
  const what = STEPS[step];
  return `${step}${what === undefined ? '' : ` (${what})`} took longer than the watchdog waits for any answer (that of the runtime ${RPC_LIMIT_S} s, rollout-bench host its rpc-timeout), whatever the timeouts of a session say: ${LATE_ANSWER_CURE}`;
}

export const LATE_ANSWER_CURE =
  'render on the GPU (MUJOCO_GL=egl), take smaller cameras (camera_height, camera_width), or free the host of other work';

/** An error text as people should read it: with its explanation when it hides what happened. Pure. */
export function explainedError(message: string): string {
  const explanation = lateAnswerText(message);
  return explanation === null ? message : `${explanation} [${message}]`;
}
