import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { doctor } from '../../../src/app/doctor.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let workspace: string;
let host: Host;
beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-doctor-live-'));
  host = await startHost({ workspace, policies: [{ mode: { kind: 'good' } }], watchdog: { pollMs: 20 } });
});
afterEach(async () => {
  await host.stop();
  rmSync(workspace, { recursive: true, force: true });
});

const found = z.object({
  problems: z.array(z.object({ code: z.string(), severity: z.string(), fix: z.string() })),
});

async function examine(...options: readonly string[]) {
  const call = await called([
    'doctor',
    '--workspace',
    workspace,
    '--json',
    '--suite',
    'libero_spatial',
    ...options,
  ]);
  const exitCode = await doctor({ ...call.verb, env: { PATH: process.env['PATH'] } });
  const { problems } = found.parse(JSON.parse(call.printed()));
  return { exitCode, problems: problems.map(({ code, severity }) => `${code} ${severity}`) };
}

describe('doctor on a live host', () => {
  it('finds nothing when target and policy answer, and changes no document', async () => {
    const before = readFileSync(join(workspace, 'SESSIONS.md'));
    const { exitCode, problems } = await examine('--policy-endpoint', host.policyEndpoint);
    expect(problems).toEqual([]);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(workspace, 'SESSIONS.md'))).toEqual(before);
  });

  it('notes a policy that is not there yet, and stops at a target that is gone', async () => {
    expect(await examine('--policy-endpoint', 'openpi://127.0.0.1:9')).toEqual({
      exitCode: 0,
      problems: ['RB350 warning'],
    });
    await host.killTarget();
    expect(await examine('--policy-endpoint', host.policyEndpoint)).toEqual({
      exitCode: 3,
      problems: ['RB320 fatal'],
    });
  });

  it('says when something else listens where the policy should be', async () => {
    const address = host.targetEndpoint.replace(/^\w+:/, 'openpi:');
    const { exitCode, problems } = await examine('--policy-endpoint', address);
    expect(exitCode).toBe(3);
    expect(problems).toEqual(['RB351 fatal']);
  }, 30_000);
});
