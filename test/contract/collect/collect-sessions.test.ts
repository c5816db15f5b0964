import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectSessions } from '../../../src/app/collect/collect-sessions.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { walkFolder } from '../../../src/bundle/walk.ts';
import { fateOf, planOf, writeWorkspace } from '../bundle/bundle-builder.ts';

const PLAN = planOf(12);

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-collect-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const collect = (sessionIds: readonly string[] = []): ReturnType<typeof collectSessions> =>
  collectSessions({
    workspace,
    sessionIds,
    tool: { version: '0.1.0', distHash: null },
    nowMs: Date.UTC(2026, 10, 29, 17),
    randomHex: '0a1b',
    secrets: [],
    template: null,
  });

describe('collectSessions', () => {
  it('makes a verified bundle per suite, and changes no document', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const before = [readFileSync(join(workspace, 'SESSIONS.md')), readFileSync(join(workspace, 'LOG.md'))];
    const { runs, unattributable, targetsFault } = await collect();
    expect(runs.map((run) => [run.results.suite, run.results.arms[0]?.planned])).toEqual([
      ['libero_spatial', 10],
    ]);
    expect(unattributable.map(({ sessionId }) => sessionId)).toEqual(['s7', 's11']);
    expect(targetsFault).toBe('there is none');
    const [suite] = runs;
    expect(suite?.results.arms[0]?.successRate).toMatchObject({ k: 9, n: 10 });
    expect(suite?.results.run).toMatchObject({ evidenceClass: 'unplanned' });
    expect(suite?.results.limits).toMatchObject({ maxPolicyCalls: 220, sessionTimeoutS: 1800 });
    for (const run of runs) expect(await verifyBundle(run.bundleDir)).toEqual([]);
    expect([readFileSync(join(workspace, 'SESSIONS.md')), readFileSync(join(workspace, 'LOG.md'))]).toEqual(
      before,
    );
    const report = readFileSync(runs[0]?.reportPath ?? '', 'utf8');
    expect(report).toContain('unplanned');
    expect(report).not.toContain('rollout-bench accept');
  });

  it('gives every fate its outcome', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const { runs, unattributable } = await collect();
    const records = runs.flatMap((run) => run.records);
    const outcomes = new Map(records.map((record) => [record.sessionId, record.outcome]));
    const left = new Set(unattributable.map(({ sessionId }) => sessionId));
    for (const [position] of PLAN.cells.entries()) {
      if (!left.has(`s${position}`)) expect(outcomes.get(`s${position}`)).toBe(fateOf(position));
    }
  });

  it('leaves out sessions of our own benchmarks unless they are named', async () => {
    writeWorkspace(workspace, PLAN, 'rollout-bench:r1');
    await expect(collect()).rejects.toMatchObject({ problems: [{ code: 'RB513' }] });
    const named = await collect(['s0', 's1']);
    expect(named.runs[0]?.results.arms[0]).toMatchObject({ planned: 2 });
  });

  it.each([['waiting'], ['nobody']])(
    'refuses %s, which is not finished or not there, and writes nothing',
    async (id) => {
      writeWorkspace(workspace, PLAN, 'a colleague');
      await expect(collect([id])).rejects.toMatchObject({ problems: [{ code: 'RB512', where: id }] });
      expect(walkFolder(workspace).files.some((name) => name.includes('rollout-bench'))).toBe(false);
    },
  );

  it('says when there is no readable SESSIONS.md', async () => {
    await expect(collect()).rejects.toMatchObject({ problems: [{ code: 'RB511' }] });
    writeFileSync(join(workspace, 'SESSIONS.md'), '# nothing\n');
    await expect(collect()).rejects.toMatchObject({ problems: [{ code: 'RB511' }] });
  });
});
