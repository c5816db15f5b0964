import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
let out: string | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
  if (out !== null) await rm(out, { recursive: true });
  out = null;
});

describe('the files of a report', () => {
  it('tell nothing of the host: no path, no endpoint, whatever the policy says about itself', async () => {
    const metadata = {
      name: 'pi05',
      checkpoint: '/home/alice/ckpt/params',
      served: 'gpu7.lab.example.com:8000',
    };
    host = await startHost({ policies: [{ mode: { kind: 'broken', how: 'text' }, metadata }] });
    out = await mkdtemp(path.join(tmpdir(), 'rb-published-'));
    const where = [
      '--workspace',
      host.workspace,
      '--suite',
      'libero_spatial',
      '--tasks',
      '0',
      '--init-states',
      '0',
    ];
    const policy = ['--policy-endpoint', host.policies[0]?.endpoint ?? '', '--policy-wait', '1'];
    const { verb } = await called(['run', ...where, ...policy, '--report-dir', out, '--json']);
    expect(await run(verb)).toBe(4);
    const files = (await readdir(out, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(files.map(({ name }) => name)).toContain('results.json');
    for (const { parentPath, name } of files) {
      const text = await readFile(path.join(parentPath, name), 'utf8');
      expect(text, name).not.toMatch(/alice|gpu7|127\.0\.0\.1|rollout-bench-host-/);
      if (name === 'results.json') expect(text).toContain('pi05');
    }
  });
});
