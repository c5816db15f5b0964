import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { collect } from '../../../src/app/collect.ts';
import { verify } from '../../../src/app/verify.ts';
import {
  DUMMY_SKILL_ID,
  DUMMY_TARGET_ID,
  type Host,
  LIBERO_SKILL_ID,
  LIBERO_TARGET_ID,
  startHost,
} from '../../../src/host/host.ts';
import { readSessionsText } from '../../../src/queue/sessions-document.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';
import { called } from '../app/verb-context.ts';

let workspace: string;
let host: Host;
beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-collect-live-'));
  host = await startHost({
    workspace,
    policies: [{ mode: { kind: 'good' } }, { mode: { kind: 'slow', delayMs: 500 } }],
    watchdog: { pollMs: 5 },
    startWatchdog: false,
  });
});
afterEach(async () => {
  await host.stop();
  rmSync(workspace, { recursive: true, force: true });
});

const file = (name: string): string => join(workspace, name);

function colleagues(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    session_id: id,
    goal_id: 'somebody else',
    target_ref: `target://${LIBERO_TARGET_ID}`,
    skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
    task_description: 'do it',
    routing: { policy_endpoint: host.policyEndpoint },
    ...more,
  };
}

async function untilStatus(id: string, status: string): Promise<void> {
  for (let wait = 0; wait < 4000; wait += 1) {
    const snapshot = readSessionsText(readFileSync(file('SESSIONS.md'), 'utf8'));
    if (snapshot.byId.get(id)?.status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${id} never was ${status}`);
}

const printedSchema = z.object({
  runs: z.array(z.object({ suite: z.string(), bundle: z.string(), evidenceClass: z.string() })),
  unattributable: z.array(z.object({ sessionId: z.string(), countedIn: z.array(z.string()) })),
});

it('collects what colleagues ran while the watchdog goes on with their next session', async () => {
  const dummy = { target_ref: DUMMY_TARGET_ID, skillruntime_ref: DUMMY_SKILL_ID };
  const slow = { routing: { policy_endpoint: host.policies[1]?.endpoint } };
  const entries = [
    colleagues('one'),
    colleagues('two'),
    colleagues('no-cell', { ...dummy, routing: { policy_endpoint: 'dummy://local' } }),
    colleagues('still-running', slow),
  ];
  writeFileSync(
    file('new'),
    renderDocument('Runtime Sessions', dumpYaml({ version: 'runtime_sessions_v1', sessions: entries })),
  );
  renameSync(file('new'), file('SESSIONS.md'));
  host.startWatchdog();
  await untilStatus('still-running', 'running');
  const targets = readFileSync(file('TARGETS.md'));
  const call = await called(['collect', '--workspace', workspace, '--json']);
  expect(await collect(call.verb)).toBe(0);
  const { runs, unattributable } = printedSchema.parse(JSON.parse(call.printed()));
  expect(runs).toMatchObject([{ suite: 'libero_spatial', evidenceClass: 'unplanned' }]);
  expect(unattributable).toEqual([{ sessionId: 'no-cell', countedIn: [] }]);
  expect(call.log.lines.join('\n')).toMatch(/warning: no-cell is left out: .*does not name them/);
  expect(host.watchdogAlive()).toBe(true);
  expect(readFileSync(file('TARGETS.md'))).toEqual(targets);
  const check = await called(['verify', runs[0]?.bundle ?? '']);
  expect(await verify(check.verb)).toBe(0);
});
