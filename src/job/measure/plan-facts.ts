import { isHeldOutPlan } from '../../model/plan.ts';
import { type ArmFacts, RUN_SCHEMA_ID, type RunFacts } from '../../model/run-facts.ts';
import { shardPositions } from '../../plan/shard.ts';
import { sourceOf } from '../../platform/run-context.ts';
import { toolFacts } from '../../platform/tool-facts.ts';
import { pinsFor } from '../prepare/pins-for.ts';
import { leavePolicy, policyDigests } from '../prepare/policies.ts';
import { protocolOf } from '../prepare/protocol.ts';
import { recordingFacts } from '../prepare/record-policy.ts';
import type { Attempt } from './begin-attempt.ts';
import type { PlanToMeasure } from './measured-plan.ts';
import { withoutLateSecrets } from './refuse-secrets.ts';
import type { Surroundings } from './watch-attempt.ts';

/** Asks the policies once more and writes down all that is known of an attempt. */
export async function runFacts(
  request: PlanToMeasure,
  { attempt, digest, attempts }: Attempt,
  seen: Surroundings | null,
): Promise<RunFacts> {
  const { host, plan, found, inputs, context, policies, clock } = request;
  const tool = await toolFacts();
  const arms: ArmFacts[] = [];
  for (const policy of policies)
    arms.push(withoutLateSecrets(await leavePolicy(policy, inputs, request.signal), request.secrets));
  const facts: RunFacts = {
    schema: RUN_SCHEMA_ID,
    runId: request.runId,
    attempt,
    planDigest: digest,
    evidenceClass: 'planned',
    tool,
    startedAt: null,
    sealedAt: new Date(clock.now()).toISOString(),
    shard: inputs.shard,
    positions: inputs.shard === null ? null : [...shardPositions(plan, inputs.shard)],
    target: { id: host.target.id, endpoint: host.endpoints.target, kind: host.target.targetKind },
    arms,
    discovery: { method: found.source, note: found.why },
    runtime: { dialect: host.dialect, target_runtime: host.target.targetRuntime },
    host: {},
    fingerprint: protocolOf(plan, host, found),
    source: { runUrl: context.runUrl },
    ...request.authority.facts,
    ...(attempts === null ? {} : { attempts }),
    ...(request.heldOutOf == null ? {} : { heldOutOf: request.heldOutOf }),
    ...recordingFacts(request.recordsPolicies, policies),
    ...startedFacts(request),
    // What others read names no cell that is held out.
    ...(inputs.exports === null || isHeldOutPlan(plan) ? {} : { exports: [...inputs.exports] }),
    phases: [],
    warnings: [...request.remarks],
  };
  return seen === null ? facts : { ...facts, ...surroundingFacts(request, tool, seen) };
}

/** What is known only where the surroundings of an attempt were looked at. */
function surroundingFacts(
  request: PlanToMeasure,
  tool: RunFacts['tool'],
  { startedAt, machine, load, look, ended }: Surroundings,
): Partial<RunFacts> {
  const { host, context, policies, phases, remarks } = request;
  return {
    startedAt,
    host: { ...machine, load },
    source: sourceOf(context),
    pins: pinsFor({ ...request, look, machine, tool, policyDigests: policyDigests(policies) }),
    settlement: ended.settlement,
    phases: phases.list(),
    warnings: [
      ...host.warnings.map((problem) => `${problem.where}: ${problem.message}`),
      ...remarks,
      ...ended.warnings,
      ...restartTexts(policies),
    ],
  };
}

/** Which policies this run started itself; nothing when it started none. */
function startedFacts({ policies, plan }: PlanToMeasure): Pick<RunFacts, 'started'> {
  const arms = policies.filter(({ started }) => started != null).map(({ arm }) => arm);
  if (arms.length === 0) return {};
  return { started: { by: 'command', arms, turns: plan.order.scheme === 'sequential' } };
}

function restartTexts(policies: PlanToMeasure['policies']): string[] {
  return policies.flatMap(({ arm, started }) =>
    started == null || started.restarts === 0
      ? []
      : [`The ${arm} policy died and was started again; the attempt that it spoiled does not count.`],
  );
}
