import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

const TOKEN = 'ghs_plantedValueOfTheEnvironment0123456789';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function started(metadata: Readonly<Record<string, string>>): Promise<Host> {
  host = await startHost({ policies: [{ mode: { kind: 'good' }, metadata }], watchdog: { pollMs: 10 } });
  return host;
}

async function call(on: Host, more: readonly string[] = []) {
  const where = [
    '--workspace',
    on.workspace,
    '--suite',
    'libero_spatial',
    '--tasks',
    '0',
    '--init-states',
    '0',
  ];
  const policy = ['--policy-endpoint', on.policies[0]?.endpoint ?? '', '--policy-wait', '1'];
  return called(['run', ...where, ...policy, ...more], { GITHUB_TOKEN: TOKEN });
}

async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(file, 'utf8')).includes(text)) found.push(file);
  }
  return found;
}

describe('a secret that is known before the run', () => {
  it.each([
    ['a token of the environment', { note: TOKEN }],
    ['a password in an address', { url: 'https://alice:hunter2pass@nas.local/ckpt' }],
  ])('in the metadata of the policy (%s) stops it before anything is queued', async (_what, metadata) => {
    const on = await started(metadata);
    const { verb } = await call(on);
    await expect(run(verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB704', where: 'metadata of the candidate policy' }],
    });
    expect(await readFile(path.join(on.workspace, 'SESSIONS.md'), 'utf8')).not.toContain('rb-');
    expect(await filesWith(on.workspace, Object.values(metadata)[0] ?? '')).toEqual([]);
  });

  it('in an input is named by the input', async () => {
    const on = await started({ name: 'pi' });
    const { verb } = await call(on, ['--policy-ref', `main ${TOKEN}`]);
    await expect(run(verb)).rejects.toMatchObject({ problems: [{ where: 'input policy-ref' }] });
  });
});

describe('a secret that a policy brings along during the run', () => {
  it('is not written; the run is kept and is INVALID', async () => {
    const on = await started({ name: 'pi' });
    const called = await call(on, ['--json']);
    const swap = setInterval(() => {
      if ((on.policies[0]?.prompts.length ?? 0) > 0) on.policies[0]?.setMetadata({ name: TOKEN });
    }, 5);
    const exitCode = await run(called.verb).finally(() => clearInterval(swap));
    expect(exitCode).toBe(4);
    expect(JSON.parse(called.printed())).toMatchObject({ verdict: 'INVALID' });
    expect(called.printed()).not.toContain(TOKEN);
    expect(await filesWith(on.workspace, TOKEN)).toEqual([]);
  });
});

describe('a secret in the error of a session', () => {
  it('costs that session its evidence and the run its success, not the rest of the bundle', async () => {
    host = await startHost({
      policies: [{ mode: { kind: 'broken', how: 'text' } }],
      watchdog: { pollMs: 10 },
    });
    const called = await call(host, ['--json', '--retry-errors', '0']);
    // Part of what the runtime writes about this policy, taken for a token.
    const secret = 'Traceback: boom';
    const exitCode = await run({ ...called.verb, env: { GITHUB_TOKEN: secret } });
    expect(exitCode).toBe(3);
    const bundle = String(JSON.parse(called.printed())['bundle-path']);
    expect(await filesWith(bundle, secret)).toEqual([]);
    expect(await filesWith(`${bundle}.quarantine`, secret)).toHaveLength(1);
    expect(await readFile(path.join(bundle, 'journal.jsonl'), 'utf8')).toContain('text error: ***');
    const differences = await verifyBundle(bundle);
    expect(new Set(differences.map(({ kind }) => kind))).toEqual(new Set(['held back']));
  });
});
