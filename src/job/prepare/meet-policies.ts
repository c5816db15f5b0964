import { errorOf } from '../../errors/rb-error.ts';
import type { Arm } from '../../model/plan.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { otherCommit } from '../../policy-process/commit-claim.ts';
import { shortOf } from '../../policy-process/fitting.ts';
import { freeMemory } from '../../policy-process/free-memory.ts';
import type { PolicyArms } from '../../policy-process/policy-arms.ts';
import type { VerbContext } from '../verb.ts';
import { type ArmPolicy, meetPolicy, requireTwoPolicies } from './policies.ts';
import type { PolicySources } from './policy-source.ts';
import { requireRecordable } from './record-policy.ts';

interface MeetRequest {
  readonly verb: VerbContext;
  readonly run: RunContext;
  /** Of the candidate; null: the host names none either. */
  readonly endpoint: string | null;
  /** The policies that this run starts; null: none. */
  readonly arms: PolicyArms | null;
  readonly sources: PolicySources;
}

interface MetPolicies {
  /** Candidate first. */
  readonly policies: readonly ArmPolicy[];
  /** The baseline is measured after the candidate, and only one of them is there at a time. */
  readonly sequential: boolean;
}

/**
 * Starts the policies that are to be started, and waits for all.
 * @throws RbError as `meetPolicy`, `requireRecordable`, `requireTwoPolicies`, RB940 and RB941 of a command, RB948 for a
 * policy of another commit. What was started is left to the caller.
 */
export async function meetPolicies(request: MeetRequest): Promise<MetPolicies> {
  const { verb, run, endpoint, arms } = request;
  const { inputs } = verb;
  const { baselineEndpoint } = inputs;
  // `openHost` refuses a host without one.
  if (endpoint === null) throw new Error('no policy endpoint');
  const endpoints = [endpoint, ...(baselineEndpoint === null ? [] : [baselineEndpoint])];
  requireRecordable(inputs, run, endpoints);
  sayOtherCommit(request);
  const met =
    arms !== null && arms.size > 1 && baselineEndpoint !== null
      ? await meetStarted({ ...request, endpoint, arms, baselineEndpoint })
      : { policies: await meetInTurn(request, endpoints), sequential: false };
  requireTwoPolicies(met.policies, inputs.baseline.kind === 'same', request.sources);
  return met;
}

async function meetInTurn(
  request: MeetRequest,
  [candidate = '', baseline]: readonly string[],
): Promise<ArmPolicy[]> {
  const first = await meet(request, 'candidate', candidate);
  return baseline === undefined ? [first] : [first, await meet(request, 'baseline', baseline)];
}

/** The baseline first: what it takes of the host's memory tells whether the candidate fits beside it. */
async function meetStarted(
  request: MeetRequest & {
    readonly endpoint: string;
    readonly arms: PolicyArms;
    readonly baselineEndpoint: string;
  },
): Promise<MetPolicies> {
  const { verb, endpoint, arms, baselineEndpoint } = request;
  const { inputs, log, signal } = verb;
  const asked = inputs.arms;
  const before = asked === 'auto' ? await freeMemory() : null;
  const baseline = await meet(request, 'baseline', baselineEndpoint);
  const short = before === null ? null : shortOf(before, await freeMemory());
  const sequential = asked === 'sequential' || short !== null;
  if (sequential) {
    const why = short === null ? 'as asked for' : short;
    log.warning(
      `The baseline is measured after the candidate (${why}): whatever changes over time may look like a difference between them.`,
    );
    await arms.rest('baseline', signal);
  }
  return { policies: [await meet(request, 'candidate', endpoint), baseline], sequential };
}

async function meet(request: MeetRequest, arm: Arm, endpoint: string): Promise<ArmPolicy> {
  const { verb, arms, sources } = request;
  const { inputs, clock, log, signal } = verb;
  await arms?.start(arm, signal);
  const met = await meetPolicy({ arm, endpoint, inputs, clock, log, signal });
  const checkout = sources[arm]?.checkout ?? null;
  const other = checkout === null ? null : otherCommit(met.before.metadata, checkout.commit);
  if (other !== null && checkout !== null) {
    throw errorOf('RB948', {
      where: `policy at ${endpoint}`,
      message: `its metadata says ${other.key}: ${other.says}, and it was started in a checkout of ${checkout.commit}.`,
      fix: 'Build and start what is checked out, and end servers of earlier runs.',
    });
  }
  arms?.remember(arm, met.before);
  return { ...met, started: arms?.of(arm) ?? null };
}

/** The merge commit that a checkout has by itself in a pull request is not what the report names. */
function sayOtherCommit({ verb, run, sources }: MeetRequest): void {
  const own = sources.candidate?.checkout?.commit ?? null;
  if (own === null || run.headCommit === null || own === run.headCommit) return;
  verb.log.warning(
    `RB953 policy-directory is a checkout of ${own}, and this run is about ${run.headCommit}. In a pull request, check out github.event.pull_request.head.sha.`,
  );
}
