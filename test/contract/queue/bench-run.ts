import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { LIBERO_SKILL_ID, LIBERO_TARGET_ID } from '../../../src/host/host.ts';
import { SUITES } from '../../../src/host/simulator.ts';
import type { Caps } from '../../../src/model/caps.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { makePlan, planDigest } from '../../../src/plan/make-plan.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Log } from '../../../src/platform/ports.ts';
import type { ExecutionInput } from '../../../src/queue/execution.ts';
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from '../../../src/queue/machine/job.ts';
import type { QueueEntry } from '../../../src/queue/machine/snapshot.ts';
import { readSessionsText } from '../../../src/queue/sessions-document.ts';
import { readTargetsText } from '../../../src/queue/targets-document.ts';
import { stopProcess } from '../../../src/verdict/early-stop.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { isMapping } from '../../../src/workspace/shape.ts';

export const silentLog: Log = {
  info: () => undefined,
  warning: () => undefined,
  error: () => undefined,
  group: () => undefined,
  endGroup: () => undefined,
  progress: () => undefined,
};

export interface PlanWishes {
  readonly tasks?: readonly number[];
  readonly initStates?: readonly number[];
  readonly repeats?: number;
  readonly suite?: string;
  readonly sessionTimeoutS?: number;
  /** The plan may stop early, by a floor of this rate. */
  readonly stopAtFloor?: number;
  readonly caps?: Caps;
}

/** A plan on the embedded host's own suites. */
export function smallPlan(wishes: PlanWishes = {}): Plan {
  const suite = wishes.suite ?? 'libero_spatial';
  const known = SUITES.get(suite) ?? [];
  const languageOf = (taskId: number): string => known.find((task) => task.taskId === taskId)?.language ?? '';
  return makePlan({
    purpose: 'adhoc',
    benchmark: 'libero',
    suite,
    skillruntime: LIBERO_SKILL_ID,
    tasks: (wishes.tasks ?? [0, 1]).map((taskId) => ({ taskId, language: languageOf(taskId) })),
    initStates: [...(wishes.initStates ?? [0, 1])],
    repeats: wishes.repeats ?? 1,
    arms: ['candidate'],
    seed: 1,
    limits: {
      maxSteps: 220,
      settleSteps: 10,
      maxPolicyCalls: 220,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: wishes.sessionTimeoutS ?? 60,
      policyTimeoutS: 10,
    },
    targetConfig: {
      camera_height: 32,
      camera_width: 32,
      action_dim: 7,
      max_chunk_size: 50,
      action: { action_dim: 7, max_chunk_size: 50 },
    },
    retryErrors: 1,
    timeoutsAs: 'error',
    earlyStop: wishes.stopAtFloor !== undefined,
    caps: wishes.caps,
    thresholds: {
      minSuccessRate: wishes.stopAtFloor ?? null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
  });
}

export interface RunWishes {
  readonly workspace: string;
  readonly policyEndpoint: string;
  readonly plan: Plan;
  readonly runId?: string;
  readonly attempt?: number;
  readonly settings?: Partial<QueueSettings>;
  readonly signal?: AbortSignal;
  readonly resume?: ExecutionInput['resume'];
  readonly probes?: ExecutionInput['probes'];
  readonly onProgress?: ExecutionInput['onProgress'];
  readonly log?: Log;
}

/** The input of a whole run on the embedded host's LIBERO target. */
export async function runInput(wishes: RunWishes): Promise<ExecutionInput> {
  const { workspace, plan } = wishes;
  const runId = wishes.runId ?? 'test-run';
  const attempt = wishes.attempt ?? 1;
  const entry = readTargetsText(await fs.readFile(path.join(workspace, 'TARGETS.md'), 'utf8')).get(
    LIBERO_TARGET_ID,
  );
  const contract = loadYaml(
    await fs.readFile(path.join(workspace, 'configs/runtime/contracts/libero_real.runtime.yaml'), 'utf8'),
  );
  if (!isMapping(entry) || !isMapping(contract)) throw new Error('the host made no LIBERO target');
  return {
    workspace,
    bundleDir: path.join(workspace, 'artifacts/rollout-bench', runId, `attempt-${attempt}`),
    runId,
    attempt,
    plan,
    planDigest: planDigest(plan),
    positions: plan.cells.map((_cell, position) => position),
    base: { id: LIBERO_TARGET_ID, entry, contract },
    endpoints: { target: null, policy: { candidate: wishes.policyEndpoint } },
    settings: { ...DEFAULT_QUEUE_SETTINGS, ...wishes.settings },
    identity: { head: 'abc' },
    resume: wishes.resume ?? [],
    lane: { waitedMs: 0, waitedFor: null },
    primer: null,
    probes: wishes.probes ?? [],
    clock: systemClock,
    log: wishes.log ?? silentLog,
    signal: wishes.signal ?? new AbortController().signal,
    onProgress: wishes.onProgress ?? (() => undefined),
    recorder: null,
    followsHost: null,
    lends: null,
    turns: null,
    caps: plan.caps ?? null,
    earlyStop: plan.earlyStop === true ? stopProcess(plan, null) : null,
  };
}

export async function sessionsIn(workspace: string): Promise<readonly QueueEntry[]> {
  const snapshot = readSessionsText(await fs.readFile(path.join(workspace, 'SESSIONS.md'), 'utf8'));
  if (snapshot.fault !== null) throw new Error(snapshot.fault);
  return snapshot.entries;
}

export async function targetIdsIn(workspace: string): Promise<readonly string[]> {
  return [...readTargetsText(await fs.readFile(path.join(workspace, 'TARGETS.md'), 'utf8')).keys()];
}

/** What of ours is left outside artifacts: entries, cell targets, contracts. */
export async function leftOversIn(workspace: string): Promise<readonly string[]> {
  const entries = (await sessionsIn(workspace)).map(({ id }) => id).filter((id) => id.startsWith('rb-'));
  const targets = (await targetIdsIn(workspace)).filter((id) => id.includes('--rb-'));
  const contracts = await fs
    .readdir(path.join(workspace, 'artifacts/rollout-bench/.host/contracts'))
    .catch(() => []);
  return [...entries, ...targets, ...contracts];
}
