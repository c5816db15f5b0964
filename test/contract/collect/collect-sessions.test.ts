import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Choice, EVERYTHING } from '../../../src/app/collect/choose-sessions.ts';
import { type CollectInput, collectSessions } from '../../../src/app/collect/collect-sessions.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { walkFolder } from '../../../src/files/walk.ts';
import { readBaselineFile } from '../../../src/job/runs/read-baseline-file.ts';
import { parseWanted } from '../../../src/plan/wanted.ts';
import { planOf, writeWorkspace } from '../bundle/bundle-builder.ts';
import { fateOf } from '../bundle/session-documents.ts';

const PLAN = planOf(12);

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-collect-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const collect = (
  sessionIds: readonly string[] = [],
  more: Partial<CollectInput> = {},
): ReturnType<typeof collectSessions> =>
  collectSessions({
    workspace,
    sessionIds,
    tool: { version: '0.1.0', distHash: null },
    nowMs: Date.UTC(2026, 10, 29, 17),
    randomHex: '0a1b',
    secrets: [],
    template: null,
    ...more,
  });

describe('collectSessions', () => {
  it('makes a verified bundle per suite, and changes no document', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const before = [readFileSync(join(workspace, 'SESSIONS.md')), readFileSync(join(workspace, 'LOG.md'))];
    const { runs, unattributable, targetsFault } = await collect();
    expect(runs.map((run) => [run.results.suite, run.results.arms[0]?.planned])).toEqual([
      ['libero_spatial', 12],
    ]);
    expect(unattributable.map(({ sessionId }) => sessionId)).toEqual(['s11', 's7']);
    expect(targetsFault).toBe('there is none');
    const [suite] = runs;
    expect(suite?.results.arms[0]?.successRate).toMatchObject({ k: 9, n: 10 });
    // Two sessions left nothing that tells their episode: they are part of the evidence all the same.
    expect(suite?.results.arms[0]).toMatchObject({
      recorded: 12,
      valid: 10,
      outcomes: { error: 1, timed_out: 1 },
    });
    expect(suite?.decision.verdict).toBe('INVALID');
    expect(walkFolder(join(suite?.bundleDir ?? '', 'raw', 's11')).files).toEqual([
      'episode.json',
      'log.yaml',
      'session.yaml',
    ]);
    expect(suite?.results.run).toMatchObject({ evidenceClass: 'unplanned' });
    expect(suite?.results.limits).toMatchObject({ maxPolicyCalls: 220, sessionTimeoutS: 1800 });
    for (const run of runs) expect(await verifyBundle(run.bundleDir)).toEqual([]);
    expect([readFileSync(join(workspace, 'SESSIONS.md')), readFileSync(join(workspace, 'LOG.md'))]).toEqual(
      before,
    );
    const report = readFileSync(runs[0]?.reportPath ?? '', 'utf8');
    expect(report).toContain('unplanned');
    expect(report).toMatch(
      /^# LIBERO benchmark: libero_spatial on t with pi05_libero_remote, 2026-11-29T13:00/,
    );
    expect(report).toContain(
      '| Replan every | 5 steps (recorded; the runtime executes whole chunks) (SESSIONS.md execution.replan&#95;every&#95;steps)'.replaceAll(
        '&#95;',
        '_',
      ),
    );
    expect(report).toMatch(/\| candidate endpoint \| `openpi:\/\/10\.1\.2\.4:8000 \(SESSIONS\.md routing/);
    expect(report).toMatch(/\| Session ids \(12\) \| `s0, s1, s10, s11, s2/);
    expect(report).toContain('[`artifacts/runtime/s3`](artifacts/runtime/s3)');
    expect(report).toMatch(/\| `s7` \| error \| `POLICY_CONNECTION` \|/);
    expect(report).not.toContain('no evidence');
    expect(report).not.toContain('rollout-bench accept');
  });

  it('names no held-out cell, even for somebody who names its session', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    // As a run that was killed leaves it in the queue.
    const left = 'rb-gh42-gate-heldout-h03-r0-candidate-a0';
    for (const name of ['SESSIONS.md', 'LOG.md']) {
      const file = join(workspace, name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\bs3\b/g, left));
    }
    await expect(collect([left])).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB431' }] });
    expect(walkFolder(workspace).files.filter((file) => file.includes('rollout-bench'))).toEqual([]);
  });

  it('gives every fate its outcome', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const { runs, unattributable } = await collect();
    const records = runs.flatMap((run) => run.records);
    const outcomes = new Map(records.map((record) => [record.sessionId, record.outcome]));
    const left = new Set(unattributable.map(({ sessionId }) => sessionId));
    for (const { sessionId, outcome } of runs[0]?.results.unattributed ?? [])
      outcomes.set(sessionId, outcome);
    expect(unattributable.map(({ countedIn }) => countedIn)).toEqual(
      [...left].map(() => [runs[0]?.results.run.runId]),
    );
    for (const [position] of PLAN.cells.entries()) {
      expect(outcomes.get(`s${position}`)).toBe(fateOf(position));
    }
  });

  it('counts what is missing of what was planned', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const run = (await collect([], { wanted: parseWanted('1x50') })).runs[0];
    expect(run?.results.arms[0]).toMatchObject({
      planned: 50,
      recorded: 12,
      valid: 10,
      outcomes: { not_run: 38 },
    });
    expect(run?.decision.verdict).toBe('INVALID');
    expect(await verifyBundle(run?.bundleDir ?? '')).toEqual([]);
    await expect(collect([], { wanted: parseWanted('1x9') })).rejects.toMatchObject({
      problems: [{ code: 'RB525' }],
    });
  });

  it('takes only the sessions of the goal, target, policy and time that were chosen', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const none = { ...EVERYTHING, since: null };
    const ids = async (choice: Choice): Promise<number> =>
      (await collect([], { choice, randomHex: String(choice.until ?? 1000).slice(-4) })).runs.reduce(
        (sum, run) => sum + (run.results.arms[0]?.recorded ?? 0),
        0,
      );
    expect(await ids({ ...none, goal: 'a colleague', target: 't' })).toBe(12);
    expect(await ids({ ...none, until: Date.UTC(2026, 10, 29, 13, 4, 30) })).toBe(5);
    rmSync(join(workspace, 'artifacts', 'rollout-bench'), { recursive: true });
    for (const choice of [{ goal: 'x' }, { target: 'x' }, { policyEndpoint: 'openpi://10.1.2.4:1' }])
      await expect(ids({ ...none, ...choice })).rejects.toMatchObject({ problems: [{ code: 'RB513' }] });
  });

  it('is no baseline, as a bundle or by any file of it', async () => {
    writeWorkspace(workspace, PLAN, 'a colleague');
    const { bundleDir } = (await collect()).runs[0] ?? { bundleDir: '' };
    const copy = join(workspace, 'copied.jsonl');
    writeFileSync(copy, readFileSync(join(bundleDir, 'episodes.jsonl')));
    for (const place of [bundleDir, join(bundleDir, 'episodes.jsonl'), join(bundleDir, 'results.json'), copy])
      expect(await readBaselineFile(place)).toMatchObject({
        kind: 'unreadable',
        why: expect.stringContaining('nothing was planned'),
      });
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
