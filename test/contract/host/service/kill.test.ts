import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Served } from './served.ts';

/** Kills in one run of this file; 50 are tried when it is asked for. */
const KILLS = Number(process.env['RB_KILLS'] ?? 8);
const COMMAND_LINE = new URL('../../../../src/cli.ts', import.meta.url).pathname;

let folder = '';
let program = '';
let served: Served;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-killed-'));
  program = join(folder, 'cli.mjs');
  const banner =
    "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";
  const options = { bundle: true, platform: 'node', format: 'esm', target: 'node20' } as const;
  await build({ ...options, entryPoints: [COMMAND_LINE], outfile: program, banner: { js: banner } });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(async () => {
  await served.end();
});

/**
 * Starts the host as a process, and kills it as `kill -9` does: so many milliseconds after it has printed so many lines.
 * True when it was killed, and did not end before.
 */
async function lifeOf(lines: number, ms: number): Promise<boolean> {
  const args = [program, 'host', '--workspace', served.workspace, '--once', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let left = lines;
  createInterface({ input: child.stdout }).on('line', () => {
    left -= 1;
    if (left === 0) setTimeout(() => child.kill('SIGKILL'), ms);
  });
  await once(child, 'exit');
  return child.signalCode === 'SIGKILL';
}

describe('a host that is killed', () => {
  it('loses no session, runs none twice, and gives each the result of its evidence', async () => {
    served = await Served.start({ stepMs: 1 });
    const ids = Array.from({ length: KILLS * 3 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    served.queue(...ids.map((id) => served.entry(id)));
    let kills = 0;
    for (let life = 0; kills < KILLS && life < 5 * KILLS; life += 1) {
      if (served.raw().every(({ status }) => status !== 'pending' && status !== undefined)) break;
      // Spread over all that two sessions do: lines tell where it is, however slow the machine.
      kills += (await lifeOf(1 + (life % 5), (life * 7) % 60)) ? 1 : 0;
    }
    await lifeOf(Number.POSITIVE_INFINITY, 0);
    expect(served.raw().map((each) => each['session_id'])).toEqual(ids);
    let interrupted = 0;
    for (const { session_id: id, status, result } of served.sessions()) {
      if (result.error_code === 'HOST_INTERRUPTED') {
        interrupted += 1;
        continue;
      }
      expect([id, status, result.success]).toEqual([id, 'succeeded', true]);
      expect(JSON.parse(served.read(`artifacts/runtime/${id}/episode.json`))).toMatchObject({
        session_id: id,
        success: true,
        num_steps: result.num_steps,
      });
      expect(served.read('LOG.md')).toContain(`\n  ${id}:\n`);
    }
    expect(interrupted).toBeLessThanOrEqual(kills);
    expect(kills).toBe(KILLS);
    // Each session of which a simulator was asked to begin was asked once.
    const begun = served.host.target.requests.filter((type) => type === 'target.configure_session').length;
    expect(begun).toBeLessThanOrEqual(ids.length);
    console.log(`${kills} kills, ${interrupted} of ${ids.length} sessions interrupted`);
  }, 600_000);
});
