import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../../../src/app/verbs.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { walkFolder } from '../../../src/files/walk.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let folder: string;
let host: Host;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rb-linked-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  host = await startHost({ workspace, rule: { kind: 'stub' }, startWatchdog: false });
  mkdirSync(join(folder, 'elsewhere', 'runtime'), { recursive: true });
  writeFileSync(join(folder, 'elsewhere', 'runtime', 'kept'), 'as it was');
  rmSync(join(workspace, 'artifacts'), { recursive: true, force: true });
  symlinkSync(join(folder, 'elsewhere'), join(workspace, 'artifacts'));
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const policy = ['--target', LIBERO_TARGET_ID, '--policy-endpoint', 'openpi://127.0.0.1:1'];

describe('a workspace whose artifacts are behind a link', () => {
  it.each([
    ['run', policy],
    ['plan', policy],
    ['qualify', policy.slice(0, 2)],
    ['approve', [...policy, '--purpose', 'release', '--approval', 'plan-file=p.json']],
    ['collect', []],
    ['clean', []],
    ['status', []],
    ['fence', []],
    ['inventory', []],
    ['doctor', []],
  ] as const)('is refused by %s, which writes nothing behind it', async (name, more) => {
    const before = walkFolder(join(folder, 'elsewhere'));
    const call = await called([name, '--workspace', join(folder, 'workspace'), ...more]);
    const verb = await VERBS[name]();
    const outcome = await verb(call.verb).catch((error: unknown) => error);
    if (outcome instanceof RbError) {
      expect([3, 4]).toContain(outcome.exitCode);
      expect(outcome.problems.map(({ code }) => code)).toContain(name === 'inventory' ? 'RB520' : 'RB213');
    } else {
      expect(name).toBe('doctor');
      expect(outcome).not.toBe(0);
      expect(call.printed()).toContain('RB213');
    }
    expect(walkFolder(join(folder, 'elsewhere'))).toEqual(before);
  });
});
