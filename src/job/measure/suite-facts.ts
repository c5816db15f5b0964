import { type ArmFacts, RUN_SCHEMA_ID, type RunFacts } from '../../model/run-facts.ts';
import { shardPositions } from '../../plan/shard.ts';
import type { HostFacts } from '../../platform/host-facts.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { toolFacts } from '../../platform/tool-facts.ts';
import type { HostLoad } from '../../results/host-load.ts';
import { pinsFor } from '../prepare/pins-for.ts';
import { leavePolicy, policyDigests } from '../prepare/policies.ts';
import { protocolOf } from '../prepare/protocol.ts';
import { recordingFacts } from '../prepare/record-policy.ts';
import type { WorkspaceLook } from '../prepare/workspace-look.ts';
import { withoutLateSecrets } from './refuse-secrets.ts';
import type { SuiteRunRequest } from './suite-run.ts';
import type { EndFacts } from './watch-attempt.ts';

/** What a suite run knows at its end. */
interface Measured {
  readonly digest: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly machine: HostFacts & { readonly load: HostLoad };
  readonly ended: EndFacts;
  readonly look: WorkspaceLook;
  /** Null: nobody counted. */
  readonly attempts: NonNullable<RunFacts['attempts']> | null;
}

/** Asks the policies once more and writes down all a run knows of itself. */
export async function runFacts(request: SuiteRunRequest, measured: Measured): Promise<RunFacts> {
  const { host, plan, found, inputs, context, policies, phases, clock } = request;
  const tool = await toolFacts();
  const arms: ArmFacts[] = [];
  for (const policy of policies)
    arms.push(withoutLateSecrets(await leavePolicy(policy, inputs, request.signal), request.secrets));
  return {
    schema: RUN_SCHEMA_ID,
    runId: request.runId,
    attempt: measured.attempt,
    planDigest: measured.digest,
    evidenceClass: 'planned',
    tool,
    startedAt: measured.startedAt,
    sealedAt: new Date(clock.now()).toISOString(),
    shard: inputs.shard,
    positions: inputs.shard === null ? null : [...shardPositions(plan, inputs.shard)],
    target: { id: host.target.id, endpoint: host.endpoints.target, kind: host.target.targetKind },
    arms,
    discovery: { method: found.source, note: found.why },
    runtime: { dialect: host.dialect, target_runtime: host.target.targetRuntime },
    host: { ...measured.machine },
    fingerprint: protocolOf(plan, host, found),
    source: sourceOf(context),
    ...request.authority.facts,
    ...(measured.attempts === null ? {} : { attempts: measured.attempts }),
    ...(request.heldOutOf == null ? {} : { heldOutOf: request.heldOutOf }),
    ...recordingFacts(request.recordsPolicies, policies),
    pins: pinsFor({ ...request, ...measured, tool, policyDigests: policyDigests(policies) }),
    settlement: measured.ended.settlement,
    phases: phases.list(),
    warnings: [
      ...host.warnings.map((problem) => `${problem.where}: ${problem.message}`),
      ...(request.accepted ?? []),
      ...measured.ended.warnings,
    ],
  };
}

function sourceOf(context: RunContext): RunFacts['source'] {
  const { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt } =
    context;
  return { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt };
}
