import type { Scheduled } from './adapter-plan.ts';
import { actionLimits } from './adapters.ts';
import { CONTRACT_RUNTIME } from './contract-adapter.ts';
import { DummyTarget } from './dummy-target.ts';
import { openPolicyClient, type PolicyClient } from './policy-client.ts';
import { RuntimeFailure } from './python-error.ts';
import { type ConfigSent, RemoteTarget, type RolloutTarget } from './rollout-target.ts';
import type { SocketCare } from './socket-inbox.ts';
import { TargetClient } from './target-client.ts';

/** Things that hold a connection; closed at once when the watchdog is killed. */
export type OpenParts = Set<{ close(): unknown }>;

interface TargetWay {
  readonly rpcTimeoutMs: number;
  readonly open: OpenParts;
  /** The simulator to drive, where it is not the one that session or target names. */
  readonly endpoint?: string;
  readonly care?: SocketCare;
}

/** How the config of a target reaches its server, by the target's runtime. */
const SENDS_CONFIG: Readonly<Record<string, ConfigSent>> = {
  LiberoRemoteTargetProxy: 'libero',
  RemoteTargetProxy: 'nothing',
  [CONTRACT_RUNTIME]: 'config',
};

/** The target of a session, not yet connected. Throws TARGET_BUILD for a runtime nobody has registered. */
export function buildTarget({ session, target }: Scheduled, way: TargetWay): RolloutTarget {
  const { rpcTimeoutMs, open, care } = way;
  const runtime = target.runtime.target_runtime;
  if (target.target_class === 'local') {
    if (runtime === 'DummySimTargetRuntime') return new DummyTarget(target.config);
    throw new RuntimeFailure('TARGET_BUILD', `unsupported local target runtime: ${runtime}`);
  }
  const named = session.routing.target_endpoint || target.runtime.target_endpoint || '';
  const endpoint = way.endpoint ?? named;
  const sends = SENDS_CONFIG[runtime];
  if (sends === undefined) {
    throw new RuntimeFailure('TARGET_BUILD', `unsupported remote target runtime: ${runtime}`);
  }
  const client = new TargetClient({
    endpoint,
    targetId: target.id,
    timeoutMs: rpcTimeoutMs,
    ...(care === undefined ? {} : { care }),
  });
  open.add(client);
  return new RemoteTarget(client, { config: target.config, sends, onClosed: () => open.delete(client) });
}

/** Connects to the policy a session names, or to its target's own when the session is not listened to. */
export function openPolicy(
  { session, target }: Scheduled,
  ignoresSession: boolean,
  care: SocketCare = {},
): Promise<PolicyClient> {
  const limits = actionLimits(target);
  const own = target.config.policy_endpoint;
  const named = session.routing.policy_endpoint ?? 'dummy://local';
  return openPolicyClient({
    endpoint: ignoresSession && typeof own === 'string' ? own : named,
    timeoutMs: session.timeouts.policy_timeout_s.value * 1000,
    actionDim: limits.actionDim,
    chunkSize: limits.dummyChunk,
    care,
  });
}

/** Parts of the runtime the stand-in does not have end the pass loudly instead of pretending. */
export function refuseUncovered(scheduled: Scheduled): void {
  const uncovered = uncoveredPart(scheduled);
  if (uncovered !== null) throw new Error(`the simulation host has no ${uncovered}`);
}

/** What a session needs that no host of ours has, in words; null when it has everything. Throws SCHEMA_VALIDATION. */
export function uncoveredPart({ session, target, skill }: Scheduled): string | null {
  const needs = [...skill.requires.sensors, ...skill.requires.environment_outputs];
  if (needs.length > 0 && !target.perception.enabled) {
    const text = `target ${target.id} perception.enabled must be true for skill ${skill.id}`;
    throw new RuntimeFailure('SCHEMA_VALIDATION', text);
  }
  if (needs.length > 0) return 'perception';
  const { target_runtime: runtime } = target.runtime;
  if (skill.runtime === 'ForgeGatewaySkillRuntime' || runtime === 'ForgeGatewayRuntime')
    return 'gateway sessions';
  if (skill.runtime_kind === 'builtin') return 'builtin skill runtimes';
  return session.verification?.mode === 'audit' ? 'verification' : null;
}
