import { rm } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function measured(on: Host, more: readonly string[]) {
  const call = await called([
    'run',
    ...['--workspace', on.workspace, '--suite', 'libero_spatial', '--tasks', '0-1', '--init-states', '0-2'],
    ...['--policy-endpoint', on.policies[0]?.endpoint ?? '', '--policy-wait', '1', '--json', ...more],
  ]);
  const exitCode = await run(call.verb);
  const outputs: Record<string, string> = JSON.parse(call.printed());
  return { exitCode, outputs };
}

describe('a baseline named by the id of a run of this host', () => {
  it('is compared pair by pair with the newest sealed attempt of that run', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const first = await measured(host, []);
    host.policies[0]?.setMode({ kind: 'bad', skill: 0 });
    const second = await measured(host, ['--baseline', first.outputs['run-id'] ?? '']);
    expect(second.outputs).toMatchObject({ verdict: 'FAIL', regressed: first.outputs['successes'] });
    expect(second.exitCode).toBe(1);
  });

  it('is refused before anything runs when no attempt of it is sealed, or nobody knows the id', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const { outputs } = await measured(host, []);
    await rm(path.join(outputs['bundle-path'] ?? '', 'manifest.json'));
    await expect(measured(host, ['--baseline', outputs['run-id'] ?? ''])).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB612', message: expect.stringContaining('attempt 1 is ended') }],
    });
    await expect(measured(host, ['--baseline', 'gh1-job-libero_spatial'])).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB612', message: expect.stringContaining('no run of this host') }],
    });
  });
});
