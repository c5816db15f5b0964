import type { Inputs } from '../../inputs/read-inputs.ts';
import { refuseFenced } from '../../lane/fence.ts';
import type { Lane } from '../../lane/held-lane.ts';
import { takeLane } from '../../lane/lane.ts';
import { yieldsTo } from '../../lane/line.ts';
import type { Plan } from '../../model/plan.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { purposeOf } from '../../platform/run-context.ts';
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
  /** Why the host is wanted. */
  readonly purpose: Plan['purpose'];
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
  { verb, run, needs, host: looked }: OpenJob,
  runIds: readonly string[],
  work: (taken: TakenHost & { readonly host: OpenHost }) => Promise<T>,
): Promise<T> {
  const { inputs, env, clock, log, signal } = verb;
  const { workspace } = looked;
  const purpose = inputs.purpose === 'auto' ? purposeOf(run) : inputs.purpose;
  const taken = await takeHost({ workspace, runIds, inputs, purpose, env, clock, log, signal });
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
  const { workspace, runIds, inputs, purpose, clock, log, signal } = request;
  await refuseFenced(workspace);
  const [runId = 'unnamed'] = runIds;
  const waitMs = inputs.laneWaitS * 1000;
  const passing = yieldsTo(purpose, inputs.yieldTo);
  const lane = await takeLane({ workspace, runId, waitMs, purpose, yieldsTo: passing, clock, log, signal });
  try {
    return { lane, earlierMs: await settleHost(request) };
  } catch (error) {
    await lane.release();
    throw error;
  }
}

/**
 * What whoever had the lane before left is dealt with. Returns the milliseconds waited for a session of theirs.
 * @throws RbError RB375 or RB409 on a fenced host.
 */
export async function settleHost(request: Omit<HostRequest, 'purpose'>): Promise<number> {
  const { workspace, runIds, inputs, env, clock, log, signal } = request;
  await refuseFenced(workspace);
  await endLeftPolicies({ workspace, env, clock, log });
  const sessionTimeoutMs = inputs.sessionTimeoutS * 1000;
  const continued = new Set(runIds);
  return await outlastEarlier({ workspace, continued, sessionTimeoutMs, clock, log, signal });
}
