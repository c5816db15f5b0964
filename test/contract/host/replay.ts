import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import type { PolicyMode } from '../../../src/host/policy-server.ts';
import { contractFile } from '../../../src/host/templates.ts';
import { findYamlBlock } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';

export const FIXTURES = fileURLToPath(new URL('../../../fixtures/runtime', import.meta.url));

export interface Replay {
  /** Behaviour of the second policy, which the recordings have on port 18001. */
  readonly second?: PolicyMode;
  /** Policies on ports 18010 and up. */
  readonly others?: readonly PolicyMode[];
  readonly stepMs?: number;
  readonly buildMs?: number;
  readonly rpcTimeoutMs?: number;
  readonly maxSteps?: number;
  /** Changes TARGETS.md (the recording's, or the host's own when it has none) before anything runs. */
  readonly targets?: (text: string) => string;
  /** Runs before the first pass. */
  readonly prepare?: (host: Host) => void;
  /** Runs before pass n (from 1). */
  readonly beforePass?: (host: Host, pass: number) => void | Promise<void>;
  /** Runs after pass n (from 1). */
  readonly afterPass?: (host: Host, pass: number, replayed: Replayed) => void | Promise<void>;
  /** Called inside the watchdog, right after a session has moved and still under the lock. */
  readonly onTransition?: (host: Host, sessionId: string, status: string) => void;
  /** Another watchdog that works off what is queued; left out: the faithful one does, pass by pass. */
  readonly instead?: (host: Host) => Promise<void>;
  /** At most so many passes; default: until one finds nothing to do. */
  readonly passes?: number;
}

export interface Replayed {
  readonly workspace: string;
  /** Python's exception names of the passes that died. */
  readonly crashes: string[];
  /** Text of SESSIONS.md after each write, in the recording's ports and without what always differs. */
  readonly writes: string[];
  /** A document of the replay, ports and volatile values as in the recording. */
  read(name: string): string;
}

/** Runs the watchdog over the recorded documents of a case, in a folder made for it. */
export async function replay(name: string, spec: Replay, workspace: string): Promise<Replayed> {
  let started: Host | null = null;
  const writes: string[] = [];
  let toRecorded = (text: string): string => text;
  const host = await startHost({
    ...hostAsRecorded(name, spec),
    workspace,
    watchdog: {
      hostName: 'rig-host',
      onWrite: (text) => writes.push(stable(toRecorded(text))),
      ...(spec.rpcTimeoutMs === undefined ? {} : { rpcTimeoutMs: spec.rpcTimeoutMs }),
    },
    onTransition: (id, status) => {
      if (started !== null) spec.onTransition?.(started, id, status);
    },
  });
  started = host;
  const ports = portMap(host);
  toRecorded = (text) =>
    ports.reduce((result, { recorded, here }) => result.replaceAll(here, recorded), text);
  const toReal = (text: string): string =>
    ports.reduce((result, { recorded, here }) => result.replaceAll(recorded, here), text);
  const replayed: Replayed = {
    workspace,
    crashes: [],
    writes,
    read: (file) => stable(toRecorded(readFileSync(join(workspace, file), 'utf8'))),
  };
  try {
    layOut(name, spec, workspace, toReal);
    spec.prepare?.(host);
    await (spec.instead === undefined ? runPasses(host, spec, replayed) : spec.instead(host));
  } finally {
    await host.stop();
  }
  return replayed;
}

/** The machine of the recordings, and its servers. */
function hostAsRecorded(name: string, spec: Replay): HostOptions {
  const modes = [spec.second ?? { kind: 'good' as const }, ...(spec.others ?? [])];
  return {
    rule: { kind: 'stub' },
    dialect: name.endsWith('-jun') ? 'june' : 'august',
    cameraSize: 32,
    maxSteps: spec.maxSteps ?? 280,
    stepMs: spec.stepMs ?? 0,
    buildMs: spec.buildMs ?? 0,
    policies: [{}, ...modes.map((mode) => ({ mode }))],
    startWatchdog: false,
  };
}

async function runPasses(host: Host, spec: Replay, replayed: Replayed): Promise<void> {
  for (let pass = 1; pass <= (spec.passes ?? 20); pass += 1) {
    await spec.beforePass?.(host, pass);
    let didWork = true;
    try {
      didWork = await host.watchdog.runOnce();
    } catch (error) {
      if (error instanceof Error && error.message === 'the watchdog was killed') return restart(host);
      const name = z.object({ pythonName: z.string() }).safeParse(error);
      if (!name.success) throw error;
      replayed.crashes.push(name.data.pythonName);
      if (replayed.crashes.length > 1) return;
    }
    await spec.afterPass?.(host, pass, replayed);
    if (!didWork) return;
  }
}

/** A new watchdog after a kill, until nothing is pending any more. */
async function restart(host: Host): Promise<void> {
  host.startWatchdog();
  const isBusy = (): boolean =>
    /status: (?:pending|claimed|preflight_checking|finalizing)$/m.test(
      readFileSync(join(host.workspace, 'SESSIONS.md'), 'utf8'),
    );
  for (let wait = 0; wait < 500 && isBusy(); wait += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await host.stopWatchdog();
}

/** The address of each server in the recording and here. */
function portMap(host: Host): readonly { readonly recorded: string; readonly here: string }[] {
  const [first, second, ...others] = host.policies;
  const ports: readonly (readonly [number, number])[] = [
    [19002, host.target.port],
    [18000, first?.port ?? 0],
    [18001, second?.port ?? 0],
    ...others.map((policy, index) => [18010 + index, policy.port] as const),
  ];
  return ports.map(([recorded, here]) => ({
    recorded: `127.0.0.1:${recorded}`,
    here: `127.0.0.1:${here}`,
  }));
}

function layOut(name: string, spec: Replay, workspace: string, toReal: (text: string) => string): void {
  const recorded = (file: string): string | null => {
    const path = join(FIXTURES, name, file);
    // The June recordings used another port for the same server.
    return existsSync(path) ? readFileSync(path, 'utf8').replaceAll(':19003', ':19002') : null;
  };
  // The recordings' smoke-test target took chunks of any length.
  const own = readFileSync(join(workspace, 'TARGETS.md'), 'utf8').replace(
    'chunk_size: 4}',
    'chunk_size: 4, max_chunk_size: 50}',
  );
  const targets = recorded('TARGETS.md') ?? own;
  const edited = toReal((spec.targets ?? ((text: string) => text))(targets));
  writeFileSync(join(workspace, 'TARGETS.md'), edited);
  makeContracts(workspace, edited);
  const sessions = recorded('SESSIONS.before.md');
  if (sessions !== null) writeFileSync(join(workspace, 'SESSIONS.md'), toReal(sessions));
}

const targetsSchema = z.object({
  targets: z.array(
    z.object({
      id: z.string(),
      runtime: z.object({ target_adapter: z.string(), runtime_contract_ref: z.string() }),
    }),
  ),
});

/** Contract files of derived targets are not part of the recordings; each gets the one it needs. */
function makeContracts(workspace: string, targets: string): void {
  const block = findYamlBlock(targets);
  if ('problem' in block) return;
  const parsed = targetsSchema.safeParse(loadYaml(block.body));
  for (const { id, runtime } of parsed.success ? parsed.data.targets : []) {
    const path = join(workspace, runtime.runtime_contract_ref);
    if (existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contractFile(id, runtime.target_adapter, 'libero_delta_eef_gripper_v1'));
  }
}

/** A recorded document with what always differs taken out. */
export function recordedText(name: string, file: string): string {
  return stable(readFileSync(join(FIXTURES, name, file), 'utf8').replaceAll(':19003', ':19002'));
}

/** Documents of a case that a replay must reproduce. */
export function recordedDocuments(name: string): string[] {
  const folder = join(FIXTURES, name);
  const documents = ['LOG.md', 'LESSONS.md'].filter((file) => existsSync(join(folder, file)));
  const runs = join(folder, 'artifacts/runtime');
  const files = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: 'utf8' }) : [];
  const episodes = files
    .filter((file) => file.endsWith('episode.json'))
    .map((file) => `artifacts/runtime/${file}`);
  return [...documents, ...episodes.sort()];
}

/** Times, claim tokens, latencies and nanosecond clocks replaced by a mark. */
function stable(text: string): string {
  return (
    text
      .replace(/2026-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g, '<time>')
      .replace(/(claim_token: )\S+/g, '$1<token>')
      .replace(/((?:mean_policy_latency_ms|"mean")"?: )(?!0\.0\b|null)[\d.e-]+/g, '$1<ms>')
      .replace(/(elapsed_s"?: )[\d.]+/g, '$1<s>')
      // How far an endless episode gets in half a second depends on the machine.
      .replace(/((?:executed_steps|target_step_index|step_index)"?: )\d{4,}/g, '$1<steps>')
      .replace(/((?:started_at|last_heartbeat)_ns"?: )\d+/g, '$1<ns>')
  );
}
