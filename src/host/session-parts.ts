import type { Scheduled } from './adapter-plan.ts';
import { actionLimits } from './adapters.ts';
import { DummyTarget } from './dummy-target.ts';
import { openPolicyClient, type PolicyClient } from './policy-client.ts';
import { RuntimeFailure } from './python-error.ts';
import { RemoteTarget, type RolloutTarget } from './rollout-target.ts';
import { TargetClient } from './target-client.ts';

/** Things that hold a connection; closed at once when the watchdog is killed. */
export type OpenParts = Set<{ close(): unknown }>;

/** The target of a session, not yet connected. Throws TARGET_BUILD for a runtime nobody has registered. */
export function buildTarget(
  { session, target }: Scheduled,
  rpcTimeoutMs: number,
  open: OpenParts,
): RolloutTarget {
  const runtime = target.runtime.target_runtime;
  if (target.target_class === 'local') {
    if (runtime === 'DummySimTargetRuntime') return new DummyTarget(target.config);
    throw new RuntimeFailure('TARGET_BUILD', `unsupported local target runtime: ${runtime}`);
  }
  const endpoint = session.routing.target_endpoint || target.runtime.target_endpoint || '';
  if (runtime !== 'LiberoRemoteTargetProxy' && runtime !== 'RemoteTargetProxy') {
    throw new RuntimeFailure('TARGET_BUILD', `unsupported remote target runtime: ${runtime}`);
  }
  const client = new TargetClient({ endpoint, targetId: target.id, timeoutMs: rpcTimeoutMs });
  open.add(client);
  const isLibero = runtime === 'LiberoRemoteTargetProxy';
  return new RemoteTarget(client, { config: target.config, isLibero, onClosed: () => open.delete(client) });
}

/** Connects to the policy a session names, or to its target's own when the session is not listened to. */
export function openPolicy({ session, target }: Scheduled, ignoresSession: boolean): Promise<PolicyClient> {
  const limits = actionLimits(target);
  const own = target.config.policy_endpoint;
  const named = session.routing.policy_endpoint ?? 'dummy://local';
  return openPolicyClient({
    endpoint: ignoresSession && typeof own === 'string' ? own : named,
    timeoutMs: session.timeouts.policy_timeout_s.value * 1000,
    actionDim: limits.actionDim,
    chunkSize: limits.dummyChunk,
  });
}

/** Parts of the runtime the stand-in does not have end the pass loudly instead of pretending. */
export function refuseUncovered({ session, target, skill }: Scheduled): void {
  const needs = [...skill.requires.sensors, ...skill.requires.environment_outputs];
  if (needs.length > 0 && !target.perception.enabled) {
    const text = `target ${target.id} perception.enabled must be true for skill ${skill.id}`;
    throw new RuntimeFailure('SCHEMA_VALIDATION', text);
  }
  const isGateway =
    skill.runtime === 'ForgeGatewaySkillRuntime' || target.runtime.target_runtime === 'ForgeGatewayRuntime';
  const uncovered = [
    needs.length > 0 ? 'perception' : null,
    isGateway ? 'gateway sessions' : null,
    skill.runtime_kind === 'builtin' ? 'builtin skill runtimes' : null,
    session.verification?.mode === 'audit' ? 'verification' : null,
  ].find((each) => each !== null);
  if (uncovered !== undefined) throw new Error(`the simulation host has no ${uncovered}`);
}
