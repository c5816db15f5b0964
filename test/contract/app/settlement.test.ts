import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { replaceFile } from '../../../src/files/atomic-file.ts';
import { acquireLock } from '../../../src/files/lock.ts';
import { type Host, LIBERO_SKILL_ID, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { type Benchmark, runBenchmark } from '../../../src/job/measure/run-benchmark.ts';
import { runContext } from '../../../src/platform/run-context.ts';
import { appendSessions, removeSessions } from '../../../src/workspace/session-edits.ts';
import { sessionsIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const CONTRACT = 'configs/runtime/contracts/libero_real.runtime.yaml';

function foreign(id: string, status: string): Record<string, unknown> {
  return {
    session_id: id,
    target_ref: `target://${LIBERO_TARGET_ID}`,
    skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
    task_description: 'theirs',
    status,
    updated_at: '2026-11-29T10:00:00.000000Z',
    result: status === 'succeeded' ? { status, success: true, num_steps: 118 } : {},
  };
}

/** A program of somebody else that keeps the rules of the lock. */
async function edit(file: string, change: (text: string) => string): Promise<void> {
  const lock = await acquireLock(`${file}.lock`);
  await replaceFile(file, change(await fs.readFile(file, 'utf8')));
  lock.release();
}

/** One episode, with `meanwhile` between queueing and running. */
async function runWith(
  meanwhile: (workspace: string) => Promise<void>,
): Promise<Benchmark & { said: string }> {
  host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
  const { workspace, policyEndpoint } = host;
  await edit(
    path.join(workspace, 'SESSIONS.md'),
    (text) =>
      appendSessions(text, [foreign('kitchen-1', 'succeeded'), foreign('kitchen-2', 'cancelled')]).text,
  );
  const where = ['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
  const what = ['--tasks', '0', '--init-states', '0', '--policy-endpoint', policyEndpoint];
  const { verb, log } = await called(['run', ...where, ...what]);
  const running = runBenchmark({
    verb,
    run: runContext({}, {}),
    template: null,
    heldOut: null,
    foresee: null,
    onRun: () => undefined,
  });
  while (!(await sessionsIn(workspace)).some(({ id }) => id.startsWith('rb-'))) await delay(10);
  await meanwhile(workspace);
  host.startWatchdog();
  return { ...(await running), said: log.lines.join('\n') };
}

const settlementOf = ({ suites }: Benchmark) => suites[0]?.sealed.results.run.settlement;
const decisionOf = ({ suites }: Benchmark) => suites[0]?.sealed.decision;

describe('the workspace around a run', () => {
  it('is proven to be as it was', async () => {
    const benchmark = await runWith(async () => undefined);
    expect(settlementOf(benchmark)).toEqual({
      measuredUnchanged: true,
      workspaceUnchanged: true,
      foreignUnchanged: true,
      foreignEntries: 2,
      changes: [],
    });
    expect(decisionOf(benchmark)?.verdict).not.toBe('INVALID');
  });

  it('is said to be changed by somebody else, and that costs the run nothing', async () => {
    const benchmark = await runWith(async (workspace) => {
      await edit(
        path.join(workspace, 'SESSIONS.md'),
        (text) => removeSessions(text.replace('num_steps: 118', 'num_steps: 18'), ['kitchen-2']).text,
      );
      await fs.appendFile(path.join(workspace, 'RUNTIME.md'), '\nA note of the Agent.\n');
    });
    expect(settlementOf(benchmark)).toMatchObject({
      measuredUnchanged: true,
      workspaceUnchanged: false,
      foreignUnchanged: false,
      changes: [
        { concerns: 'workspace', what: 'RUNTIME.md edited' },
        { concerns: 'foreign', names: ['kitchen-1'] },
        { concerns: 'foreign', names: ['kitchen-2'] },
      ],
    });
    expect(decisionOf(benchmark)?.verdict).not.toBe('INVALID');
    expect(benchmark.suites[0]?.sealed.results.warnings.join('\n')).toMatch(/gone from SESSIONS\.md/);
    expect(benchmark.suites[0]?.sealed.results.warnings.join('\n')).not.toContain('kitchen');
    expect(benchmark.said).toContain('kitchen-2');
    expect(await verifyBundle(benchmark.suites[0]?.bundleDir ?? '')).toEqual([]);
  });

  it.each([
    [
      'the target',
      'TARGETS.md',
      (text: string) => text.replace(/num_steps_wait: 10(?=\n {6}#)/, 'num_steps_wait: 11'),
    ],
    ['its contract', CONTRACT, (text: string) => `${text}\nedited: true\n`],
    [
      'the skill runtime',
      'SKILLRUNTIME.md',
      (text: string) => text.replaceAll('default_replan_every: 5', 'default_replan_every: 7'),
    ],
  ])(
    'makes the run INVALID when %s was edited',
    async (_what, file, change) => {
      const benchmark = await runWith(async (workspace) => {
        const place = path.join(workspace, file);
        const before = await fs.readFile(place, 'utf8');
        expect(change(before)).not.toBe(before);
        await replaceFile(place, change(before));
      });
      expect(settlementOf(benchmark)).toMatchObject({ measuredUnchanged: false, foreignUnchanged: true });
      expect(decisionOf(benchmark)).toMatchObject({
        verdict: 'INVALID',
        reasons: [{ code: 'measured_changed' }],
      });
    },
    60_000,
  );
});
