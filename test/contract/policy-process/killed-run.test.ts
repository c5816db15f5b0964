import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { endLeftPolicies } from '../../../src/policy-process/end-left.ts';
import { freePorts } from '../../../src/policy-process/free-port.ts';
import { KeptLog } from '../github/loopback/client-for.ts';
import { buildChild } from '../queue/child-process.ts';
import { buildPolicy, processesWith } from './commands.ts';
import type { KillWishes } from './kill-child.ts';

/** Places at which the program is killed, spread over its whole start. */
const KILLS = 30;
const TOGETHER = 5;

let policy: Awaited<ReturnType<typeof buildPolicy>>;
let program: Awaited<ReturnType<typeof buildChild>>;
beforeAll(async () => {
  policy = await buildPolicy();
  program = await buildChild(fileURLToPath(new URL('kill-child.ts', import.meta.url)));
});
afterAll(async () => {
  await policy.remove();
  await program.remove();
});

/** Starts the program, kills it after a while, and ends what it left as the next run does. */
async function killed(command: string, afterMs: number): Promise<void> {
  const workspace = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-killed-'));
  const sign = `sign-${path.basename(workspace)}`;
  const [port = 0] = await freePorts(1);
  const wishes: KillWishes = { workspace, command, port, sign };
  const child = spawn(process.execPath, [program.file, JSON.stringify(wishes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Before its first word there is nothing to leave.
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  // What it started may hold its output open; the kill itself is what matters.
  await Promise.race([ended, new Promise((resolve) => child.once('exit', resolve))]);
  const { PATH, HOME } = process.env;
  await endLeftPolicies({ workspace, env: { PATH, HOME }, clock: systemClock, log: new KeptLog() });
  expect({ afterMs, left: await processesWith(sign) }).toEqual({ afterMs, left: [] });
  expect(await fs.readdir(hostFolder(workspace).policies).catch(() => [])).toEqual([]);
  await fs.rm(workspace, { recursive: true, force: true });
}

it('leaves nothing of a policy after the next run, wherever its program was killed', async () => {
  const random = randomSource(7);
  const wishes = [{}, { detach: 'with marker' }, { ignoreTerm: true }] as const;
  for (let at = 0; at < KILLS; at += TOGETHER) {
    const batch = Array.from({ length: TOGETHER }, (_, index) =>
      killed(policy.command(wishes[(at + index) % wishes.length]), Math.floor(random() * 1500)),
    );
    await Promise.all(batch);
  }
}, 600_000);
