import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startHost } from '../../../src/host/host.ts';
import { doorCommands, freshClone, runScript } from './doors.ts';

let clone = '';
beforeEach(async () => {
  clone = await freshClone();
});
afterEach(() => rm(clone, { recursive: true, force: true }));

it('result files: the commands of the README end in a verdict and leave a gate', async () => {
  const { code, output } = await runScript(await doorCommands('Result files of an evaluation'), clone);
  expect(code, output).toBe(0);
  expect(output).toContain('lerobot: PASS');
  expect(existsSync(join(clone, 'robots/.github/workflows/rollout-bench-pull-request.yml'))).toBe(true);
});

it('a PhyAgentOS host: the commands of the README end in a verdict and leave a gate', async () => {
  const host = await startHost({ watchdog: { pollMs: 20 } });
  try {
    // Where the reader's host differs from this one.
    const commands = (await doorCommands('A PhyAgentOS host'))
      .replaceAll('/srv/phyagentos/workspace', host.workspace)
      .replaceAll('openpi://127.0.0.1:8000', host.policyEndpoint);
    const { code, output } = await runScript(commands, clone);
    expect(code, output).toBe(0);
    expect(output).toContain('libero_spatial: PASS');
    expect(existsSync(join(clone, 'robots/.github/rollout-bench.yml'))).toBe(true);
  } finally {
    await host.stop();
  }
});
