import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function sessionsRun(workspace: string): Promise<number> {
  const names = await fs.readdir(path.join(workspace, 'artifacts/runtime'));
  return names.filter((name) => name.startsWith('rb-')).length;
}

describe('a run that reaches a cap', () => {
  it('gives no verdict, keeps what is finished, and has nothing left when it is resumed', async () => {
    host = await startHost({ rule: { kind: 'stub' }, watchdog: { pollMs: 10 } });
    const { workspace, policyEndpoint } = host;
    const where = ['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
    const what = ['--tasks', '0', '--init-states', '0-2', '--policy-endpoint', policyEndpoint];
    const capped = ['run', ...where, ...what, '--caps', 'artifact-size=1'];
    const first = await called(capped);
    expect(await run(first.verb)).toBe(4);
    expect(await sessionsRun(workspace)).toBe(1);

    const root = path.join(workspace, 'artifacts/rollout-bench');
    const [runId = ''] = (await fs.readdir(root)).filter((name) => !name.startsWith('.'));
    const bundle = path.join(root, runId, 'attempt-1');
    const results = resultsSchema.parse(
      JSON.parse(await fs.readFile(path.join(bundle, 'results.json'), 'utf8')),
    );
    expect(results.caps).toMatchObject({ used: { sessions: 1 }, reached: { name: 'max-artifact-size' } });
    expect(results.arms[0]).toMatchObject({ planned: 3, recorded: 1 });
    await expect(fs.access(path.join(bundle, 'manifest.json'))).rejects.toThrow();

    const again = await called([...capped, '--resume', runId]);
    expect(await run(again.verb)).toBe(4);
    expect(await sessionsRun(workspace)).toBe(1);
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});
