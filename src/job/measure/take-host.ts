import type { Inputs } from '../../inputs/read-inputs.ts';
import { refuseFenced } from '../../lane/fence.ts';
import { type Lane, takeLane } from '../../lane/lane.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { endLeftPolicies } from '../../policy-process/end-left.ts';
import { outlastEarlier } from '../../queue/earlier-sessions.ts';
import { type OpenHost, openHost } from '../prepare/open-host.ts';
import type { OpenJob } from '../prepare/open-job.ts';
import type { Environment } from '../verb.ts';

interface HostRequest {
  /** Absolute. */
  readonly workspace: string;
  /** The runs that this program begins or continues; the first names the holder of the lane. */
  readonly runIds: readonly string[];
  readonly inputs: Inputs;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A lane on a host where nothing of ours is at work. */
interface TakenHost {
  readonly lane: Lane;
  /** Milliseconds waited for a session that an earlier run left running; 0 when there was none. */
  readonly earlierMs: number;
}

/** Whoever had the host for so long may have changed its documents meanwhile, in milliseconds. */
const LONG_WAIT_MS = 1000;

/**
 * Works on the host of a job while it is this program's, and gives it back in any case.
 * @param runIds as `HostRequest`.
 * @param work told the host as it is now.
 * @throws RbError as `takeHost`, and as `openHost` when the documents changed meanwhile.
 */
export async function onHost<T>(
  { verb, needs, host: looked }: OpenJob,
  runIds: readonly string[],
  work: (taken: TakenHost & { readonly host: OpenHost }) => Promise<T>,
): Promise<T> {
  const { inputs, env, clock, log, signal } = verb;
  const taken = await takeHost({ workspace: looked.workspace, runIds, inputs, env, clock, log, signal });
  const { lane, earlierMs } = taken;
  try {
    const host = lane.waitedMs + earlierMs > LONG_WAIT_MS ? await openHost(inputs, needs) : looked;
    return await work({ ...taken, host });
  } finally {
    await lane.release();
  }
}

/**
 * The host for a program that will queue sessions: not fenced, the lane taken, and no session of an earlier run at work.
 * @throws RbError RB375 or RB409 on a fenced host (before anything is written, or after waiting), and as `takeLane` does.
 */
export async function takeHost(request: HostRequest): Promise<TakenHost> {
  const { workspace, runIds, inputs, env, clock, log, signal } = request;
  await refuseFenced(workspace);
  const [runId = 'unnamed'] = runIds;
  const lane = await takeLane({ workspace, runId, waitMs: inputs.laneWaitS * 1000, clock, log, signal });
  try {
    // Whoever had the lane before may have set it.
    await refuseFenced(workspace);
    await endLeftPolicies({ workspace, env, clock, log });
    const sessionTimeoutMs = inputs.sessionTimeoutS * 1000;
    const continued = new Set(runIds);
    const earlierMs = await outlastEarlier({ workspace, continued, sessionTimeoutMs, clock, log, signal });
    return { lane, earlierMs };
  } catch (error) {
    await lane.release();
    throw error;
  }
}
