import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startTargetServer, type TargetServer } from '../../src/host/target-server.ts';
import { costOf, HostStage, meanStep } from './host-stage.ts';

/**
 * What our own watchdog and a run cost beside the simulator: wall time of an episode with a simulator that takes no time,
 * in the first and in the last part of a run; CPU while both wait; throughput of four sleeping simulators against one; memory
 * of the watchdog over many sessions. Uses the built program. Prints figures, asserts nothing: machines differ.
 *
 * `RB_BENCH_CELLS` (60; up to 2000) cells of the run, `RB_BENCH_SESSIONS` (40) sessions for the throughput.
 */
const CELLS = Number(process.env['RB_BENCH_CELLS'] ?? 60);
const SESSIONS = Number(process.env['RB_BENCH_SESSIONS'] ?? 40);
/** So many episodes are the first and the last part, or a third of them all. */
const PART = Math.min(100, Math.floor(CELLS / 3));
const WAIT_MS = 10_000;
const MEMORY_EVERY_MS = 1_000;
const TASKS = 10;
const STATES = 50;

const states = Math.min(STATES, Math.ceil(CELLS / TASKS));
const repeats = Math.ceil(CELLS / (TASKS * states));

function startRun(stage: HostStage, ...more: readonly string[]): ChildProcess {
  const where = ['--workspace', stage.workspace, '--suite', 'libero_spatial', '--mode', 'run'];
  const run = stage.program(['run', ...where, '--policy-endpoint', stage.policyEndpoint, ...more]);
  run.stdout?.resume();
  return run;
}

function startWatchdog(stage: HostStage, ...more: readonly string[]): ChildProcess {
  const watchdog = stage.program(['host', '--workspace', stage.workspace, '--json', ...more]);
  if (!more.includes('--once')) watchdog.stdout?.resume();
  return watchdog;
}

async function episodes(): Promise<void> {
  const stage = new HostStage();
  try {
    await stage.simulate();
    const watchdog = startWatchdog(stage);
    const cells = ['--init-states', `0-${states - 1}`, '--repeats', String(repeats)];
    const run = startRun(stage, ...cells);
    let runCpuMs = 0;
    const memory: number[] = [];
    const looking = setInterval(() => {
      runCpuMs = Math.max(runCpuMs, costOf(run).cpuMs);
      memory.push(costOf(watchdog).memoryMb);
    }, MEMORY_EVERY_MS);
    const [code] = await once(run, 'exit');
    clearInterval(looking);
    const times = stage.journalTimes('collected');
    const [first, last] = [times.slice(0, PART + 1), times.slice(-PART - 1)].map(meanStep);
    const tenth = Math.max(1, Math.floor(memory.length / 10));
    const mean = (list: readonly number[]): number => list.reduce((sum, mb) => sum + mb, 0) / list.length;
    console.log(
      `${times.length} cells (run ended with ${code}): ${meanStep(times).toFixed(0)} ms an episode; ` +
        `first ${PART} ${first?.toFixed(0)} ms, last ${PART} ${last?.toFixed(0)} ms, ratio ${((last ?? 0) / (first ?? 1)).toFixed(2)}`,
    );
    console.log(
      `CPU an episode: host ${(costOf(watchdog).cpuMs / times.length).toFixed(1)} ms, run ${(runCpuMs / times.length).toFixed(1)} ms (start and seal included)`,
    );
    console.log(
      `memory of the host: ${mean(memory.slice(tenth, 2 * tenth)).toFixed(0)} MB in the second tenth, ${mean(memory.slice(-tenth)).toFixed(0)} MB in the last`,
    );
  } finally {
    await stage.end();
  }
}

async function waiting(): Promise<void> {
  const stage = new HostStage();
  try {
    await stage.simulate('--step-ms', '5000');
    const watchdog = startWatchdog(stage);
    const run = startRun(stage, '--tasks', '0', '--init-states', '0');
    // Both have begun to wait for the episode, which takes minutes.
    await delay(WAIT_MS);
    const before = [costOf(watchdog), costOf(run)];
    await delay(WAIT_MS);
    const shares = [costOf(watchdog), costOf(run)].map(
      ({ cpuMs }, at) => (100 * (cpuMs - (before[at]?.cpuMs ?? 0))) / WAIT_MS,
    );
    console.log(
      `CPU while an episode runs: host ${shares[0]?.toFixed(2)} %, run ${shares[1]?.toFixed(2)} % of a core`,
    );
  } finally {
    await stage.end();
  }
}

/** Sessions a second between the first end and the last; start-up and the last ones that run alone are left out. */
async function throughput(simulators: number): Promise<number> {
  const stage = new HostStage();
  const more: TargetServer[] = [];
  try {
    await stage.simulate('--step-ms', '20');
    const config = { benchmark_name: 'libero_spatial', camera_height: 32, camera_width: 32 };
    for (let made = 1; made < simulators; made += 1)
      more.push(await startTargetServer({ rule: { kind: 'stub' }, stepMs: 20, config }));
    const endpoints = [stage.targetEndpoint, ...more.map(({ endpoint }) => endpoint)];
    stage.queue(SESSIONS);
    const watchdog = startWatchdog(stage, '--once', '--target-endpoints', endpoints.join(','));
    const ends: number[] = [];
    for await (const line of createInterface({ input: watchdog.stdout ?? process.stdin })) {
      // Lines of the program just started.
      const { event, at } = JSON.parse(line) as { event: string; at: string };
      if (event === 'session') ends.push(Date.parse(at));
    }
    return 1000 / meanStep(ends.slice(simulators, -simulators));
  } finally {
    await Promise.all(more.map((server) => server.kill()));
    await stage.end();
  }
}

await episodes();
await waiting();
const one = await throughput(1);
const four = await throughput(4);
console.log(
  `sleeping simulators, ${SESSIONS} sessions: one ${one.toFixed(2)} a second, four ${four.toFixed(2)}, ratio ${(four / one).toFixed(2)}`,
);
