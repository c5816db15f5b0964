import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { HostStage } from './host-stage.ts';

/**
 * Queued sessions worked off by our own watchdog against the runtime's, on the same simulator and policy. Needs a Python
 * (`PYTHON`, python3) that finds the runtime on its PYTHONPATH; says so otherwise. `RB_BENCH_SESSIONS` (40) sessions.
 */
const SESSIONS = Number(process.env['RB_BENCH_SESSIONS'] ?? 40);
const PYTHON = process.env['PYTHON'] ?? 'python3';
const MODULE = 'PhyAgentOS.runtime.watchdog';
const LIMIT_MS = 20 * 60_000;

async function seconds(start: (stage: HostStage) => void): Promise<number> {
  const stage = new HostStage();
  try {
    await stage.simulate();
    stage.queue(SESSIONS);
    const began = performance.now();
    start(stage);
    for (let waited = 0; waited < LIMIT_MS; waited += 50) {
      // Two spaces: of the entry itself, not of its result.
      const text = readFileSync(join(stage.workspace, 'SESSIONS.md'), 'utf8');
      if ((text.match(/^ {2}status: succeeded$/gm) ?? []).length >= SESSIONS) break;
      await delay(50);
    }
    return (performance.now() - began) / 1000;
  } finally {
    await stage.end();
  }
}

const found = spawnSync(PYTHON, ['-c', `import ${MODULE}`], { encoding: 'utf8' });
if (found.status === 0) {
  const ours = await seconds((stage) => {
    stage.program(['host', '--workspace', stage.workspace]).stdout?.resume();
  });
  const theirs = await seconds((stage) => {
    const watchdog = stage.start(PYTHON, ['-m', MODULE, '--workspace', stage.workspace]);
    watchdog.stdout?.resume();
    void once(watchdog, 'exit');
  });
  console.log(
    `${SESSIONS} queued sessions: host ${ours.toFixed(1)} s, Python watchdog ${theirs.toFixed(1)} s, ratio ${(theirs / ours).toFixed(1)}`,
  );
} else console.log(`no comparison: ${PYTHON} does not find ${MODULE} (set PYTHONPATH and PYTHON)`);
