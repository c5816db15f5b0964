import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Collected, collectSessions } from '../../../src/app/collect/collect-sessions.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { targetsDocument } from '../../../src/host/templates.ts';
import { FIXTURES } from '../host/replay.ts';

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-collect-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

/** The documents that the real runtime left behind, where it left them. */
function restore(name: string): void {
  const from = join(FIXTURES, name);
  copyFileSync(join(from, 'SESSIONS.after.md'), join(workspace, 'SESSIONS.md'));
  for (const part of ['LOG.md', 'TARGETS.md', 'artifacts']) {
    if (existsSync(join(from, part))) cpSync(join(from, part), join(workspace, part), { recursive: true });
  }
}

async function collected(name: string): Promise<Collected> {
  restore(name);
  return again();
}

async function again(): Promise<Collected> {
  const found = await collectSessions({
    workspace,
    sessionIds: [],
    tool: { version: '0.1.0', distHash: null },
    nowMs: Date.UTC(2026, 10, 29, 17),
    randomHex: '0a1b',
    secrets: [],
    template: null,
  });
  for (const run of found.runs) expect(await verifyBundle(run.bundleDir)).toEqual([]);
  return found;
}

/** Session, task, initial state, run and outcome of every collected episode. */
function episodes({ runs }: Collected): unknown[] {
  return runs.flatMap(({ records }) =>
    records.map(({ sessionId, taskId, initStateId, runIndex, outcome }) => [
      sessionId,
      taskId,
      initStateId,
      runIndex,
      outcome,
    ]),
  );
}

describe('collect on documents of the real runtime', () => {
  it('reads a suite that was run by a target for each episode', async () => {
    const found = await collected('22-libero-derived-targets-own-contract');
    expect(episodes(found)).toEqual([
      ['c_libero_spatial_t01_i001', 1, 1, 0, 'success'],
      ['c_libero_spatial_t03_i002', 3, 2, 0, 'failure'],
      ['c_libero_spatial_t03_i004', 3, 4, 0, 'success'],
      ['c_libero_spatial_t07_i011', 7, 11, 0, 'success'],
    ]);
    expect(found).toMatchObject({ unattributable: [], targetsFault: null });
    // Targets and evidence agree; the prompts of this recording are none of a task.
    expect(found.disagreements.map(({ message }) => message.slice(0, 24))).toEqual(
      Array(4).fill('the policy was told "ep"'),
    );
    expect(found.runs[0]?.results.suite).toBe('libero_spatial');
    expect(found.runs[0]?.view.title).toMatch(
      /^libero_spatial on libero_spatial \(4 targets\) with pi05_libero_remote, 2026-11-29T13:0/,
    );
    expect(found.runs[0]?.results.run.collected?.targets).toHaveLength(4);
  });

  it('says that two prompts on one target ran the same task twice', async () => {
    const found = await collected('20-libero-same-target-two-tasks');
    expect(episodes(found)).toEqual([
      ['a_task0', 0, 0, 0, 'success'],
      ['a_task7', 0, 0, 1, 'success'],
    ]);
    expect(found.disagreements.map(({ sessionId }) => sessionId)).toContain('a_task7');
    expect(readFileSync(found.runs[0]?.reportPath ?? '', 'utf8')).toContain('the policy was told');
  });

  it('says that a target was edited between sessions', async () => {
    const found = await collected('23-libero-rewrite-targets-between-sessions');
    expect(episodes(found)).toHaveLength(3);
    expect(found.disagreements.map(({ message }) => message).join()).toMatch(
      /target libero_real_remote and evidence differ in task/,
    );
  });

  it('knows a late timeout, and its episode by its target alone', async () => {
    const name = '17-execute-timeout-libero-then-next';
    const without = await collected(name);
    expect(episodes(without).map((episode) => String(episode))).toEqual([
      expect.stringMatching(/^s_next,.*,success$/),
    ]);
    expect(without.unattributable).toMatchObject([
      { sessionId: 's_timeout', countedIn: [without.runs[0]?.results.run.runId] },
    ]);
    expect(without.runs[0]?.results.arms[0]).toMatchObject({
      planned: 2,
      valid: 1,
      outcomes: { timed_out: 1 },
    });
    expect(without.runs[0]?.decision.verdict).toBe('INVALID');
    rmSync(workspace, { recursive: true });
    restoreWithTargets(name);
    expect(episodes(await again())).toContainEqual(['s_timeout', 0, 0, expect.any(Number), 'timed_out']);
  });

  function restoreWithTargets(name: string): void {
    workspace = mkdtempSync(join(tmpdir(), 'rb-collect-'));
    restore(name);
    const values = { targetEndpoint: 'targetws://127.0.0.1:9002', policyEndpoint: 'openpi://127.0.0.1:8000' };
    writeFileSync(
      join(workspace, 'TARGETS.md'),
      targetsDocument({ ...values, cameraSize: 32, maxSteps: 280, suite: 'libero_spatial' }),
    );
  }

  it('reports on nothing where no session tells its episode', async () => {
    await expect(collected('16-execute-timeout-dummy')).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB513', message: expect.stringContaining('s_timeout') }],
    });
    expect(existsSync(join(workspace, 'artifacts', 'rollout-bench'))).toBe(false);
  });
});
