import type { Inputs } from '../../inputs/read-inputs.ts';
import { refuseFenced } from '../../lane/fence.ts';
import { type Lane, takeLane } from '../../lane/lane.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { outlastEarlier } from '../../queue/earlier-sessions.ts';

interface HostRequest {
  /** Absolute. */
  readonly workspace: string;
  /** The runs that this program begins or continues; the first names the holder of the lane. */
  readonly runIds: readonly string[];
  readonly inputs: Inputs;
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

/**
 * The host for a program that will queue sessions: not fenced, the lane taken, and no session of an earlier run at work.
 * @throws RbError RB375 or RB409 on a fenced host (before anything is written, or after waiting), and as `takeLane` does.
 */
export async function takeHost(request: HostRequest): Promise<TakenHost> {
  const { workspace, runIds, inputs, clock, log, signal } = request;
  await refuseFenced(workspace);
  const [runId = 'unnamed'] = runIds;
  const lane = await takeLane({ workspace, runId, waitMs: inputs.laneWaitS * 1000, clock, log, signal });
  try {
    // Whoever had the lane before may have set it.
    await refuseFenced(workspace);
    const sessionTimeoutMs = inputs.sessionTimeoutS * 1000;
    const continued = new Set(runIds);
    const earlierMs = await outlastEarlier({ workspace, continued, sessionTimeoutMs, clock, log, signal });
    return { lane, earlierMs };
  } catch (error) {
    await lane.release();
    throw error;
  }
}
