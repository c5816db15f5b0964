import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Collected,
  type CollectInput,
  collectSessions,
} from '../../../src/app/collect/collect-sessions.ts';
import { status } from '../../../src/app/status.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { parseWanted } from '../../../src/plan/wanted.ts';
import { called } from '../app/verb-context.ts';

const JULY = fileURLToPath(new URL('../../../fixtures/july', import.meta.url));

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'rb-july-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

/** The documents as a July runtime left them, collected into bundles that verify. */
async function collected(name: string, more: Partial<CollectInput> = {}): Promise<Collected> {
  cpSync(path.join(JULY, name), workspace, { recursive: true });
  renameSync(path.join(workspace, 'SESSIONS.after.md'), path.join(workspace, 'SESSIONS.md'));
  return collectHere(more);
}

async function collectHere(more: Partial<CollectInput> = {}): Promise<Collected> {
  const before = documents();
  const found = await collectSessions({
    workspace,
    sessionIds: [],
    tool: { version: '0.1.0', distHash: null },
    nowMs: Date.UTC(2026, 10, 30, 17),
    randomHex: '0a1b',
    secrets: [],
    template: null,
    ...more,
  });
  for (const run of found.runs) expect(await verifyBundle(run.bundleDir)).toEqual([]);
  expect(documents()).toEqual(before);
  return found;
}

function documents(): string[] {
  return ['SESSIONS.md', 'TARGETS.md', 'SKILLRUNTIME.md'].map((file) =>
    readFileSync(path.join(workspace, file), 'utf8'),
  );
}

function edit(file: string, change: (text: string) => string): void {
  const place = path.join(workspace, file);
  writeFileSync(place, change(readFileSync(place, 'utf8')));
}

function episodes({ runs }: Collected): unknown[] {
  const found = runs.flatMap(({ records }) =>
    records.map(({ suite, sessionId, taskId, initStateId, outcome }) => [
      sessionId,
      suite,
      taskId,
      initStateId,
      outcome,
    ]),
  );
  return found.toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

async function refused(promise: Promise<unknown>): Promise<{ code: string; message: string; fix: string }> {
  const error = await promise.catch((caught: unknown) => caught);
  return (error as { problems: { code: string; message: string; fix: string }[] }).problems[0] as never;
}

describe('collect in a workspace of the July dialect', () => {
  it('takes the cell of each session, and no target for changed because a block chose another', async () => {
    const found = await collected('D01-policy-loop');
    expect(episodes(found)).toEqual([
      ['nobench', 'libero_spatial', 0, 0, 'success'],
      ['pi05_ls_t0_i0', 'libero_spatial', 0, 0, 'success'],
      ['pi05_ls_t1_i0', 'libero_spatial', 1, 0, 'failure'],
      ['pi05_obj_t2_i1', 'libero_object', 2, 1, 'failure'],
    ]);
    expect(found.targetsFault).toBeNull();
    expect(found.disagreements.filter(({ message }) => message.includes('differ in'))).toEqual([]);
  });

  it('counts a session that failed before its episode as an error of the cell its block names', async () => {
    const found = await collected('D02-policy-loop-errors');
    expect(episodes(found)).toEqual([
      ['e_badstate', 'libero_spatial', 0, 77, 'error'],
      ['e_badtask', 'libero_spatial', 99, 0, 'error'],
      ['e_dim8', 'libero_spatial', 0, 0, 'error'],
      ['e_text', 'libero_spatial', 0, 1, 'error'],
      ['e_timeout', 'libero_spatial', 3, 0, 'timed_out'],
      ['e_unreachable', 'libero_spatial', 0, 2, 'error'],
    ]);
    expect(found.unattributable).toEqual([]);
  });

  it('says what contradicts itself: a block of one benchmark with a suite of another', async () => {
    const found = await collected('D03-preflight-rejections');
    const bench = found.unattributable.find(({ sessionId }) => sessionId === 'r_bench');
    expect(bench?.reason).toContain('its benchmark block names calvin and a suite of libero');
    expect(episodes(found)).toContainEqual(['r_suite', 'libero_90', 0, 0, 'rejected']);
  });

  it('says where evidence and block name different episodes, and believes the evidence', async () => {
    await collected('D01-policy-loop');
    edit('SESSIONS.md', (text) => text.replace('task_index: 1', 'task_index: 4'));
    const found = await collectHere({ nowMs: Date.UTC(2026, 10, 30, 18) });
    expect(episodes(found)).toContainEqual(['pi05_ls_t1_i0', 'libero_spatial', 1, 0, 'failure']);
    expect(found.disagreements).toContainEqual({
      sessionId: 'pi05_ls_t1_i0',
      message: 'benchmark block and evidence differ in task (configured 4, ran 1)',
    });
  });

  it.each(['D13-policy-loop-awaiting-verification', 'D14-verifying'])(
    'takes nothing that waits for a verifier: %s',
    async (name) => {
      const found = await collected(name);
      expect(episodes(found)).toEqual([['v_plain', 'libero_spatial', 0, 1, 'success']]);
      expect(found.unsettled).toEqual(['v_audit_ok', 'v_recovery_fail']);
      expect(found.runs[0]?.results.run.warnings.join(' ')).toContain(
        '2 sessions wait for a verifier and are in no report',
      );
      const named = await refused(collectHere({ sessionIds: ['v_audit_ok'] }));
      expect(named).toMatchObject({ code: 'RB512' });
      expect(named.message).toMatch(
        /v_audit_ok is (awaiting_verification|verifying): it waits for a verifier/,
      );
    },
  );

  it('counts a replanned session by its first attempt, and leaves the child to its verifier', async () => {
    const found = await collected('D15-verified-and-replanned');
    expect(episodes(found)).toEqual([
      ['v_audit_ok', 'libero_spatial', 0, 0, 'success'],
      ['v_plain', 'libero_spatial', 0, 1, 'success'],
      ['v_recovery_fail', 'libero_spatial', 1, 0, 'failure'],
    ]);
    expect(found.unsettled).toEqual(['v_recovery_fail_r1']);
    const recovery = found.runs.flatMap(({ records }) => records).find(({ taskId }) => taskId === 1);
    expect(recovery?.assisted).toEqual({ success: null, replans: 0 });
  });

  it('links a finished child to its parent as one episode, and shows what it came to apart', async () => {
    cpSync(path.join(JULY, 'D15-verified-and-replanned'), workspace, { recursive: true });
    renameSync(path.join(workspace, 'SESSIONS.after.md'), path.join(workspace, 'SESSIONS.md'));
    // The verifier takes the second attempt for a success, though the simulator says it failed as well.
    edit('SESSIONS.md', (text) => text.replace('status: awaiting_verification', 'status: succeeded'));
    const { runs } = await collectHere({ wanted: parseWanted('2x2') });
    const recovery = runs.find(({ records }) =>
      records.some(({ sessionId }) => sessionId === 'v_recovery_fail'),
    );
    const decided = recovery?.records.filter(({ outcome }) => outcome !== 'not_run');
    expect(decided).toHaveLength(1);
    expect(decided?.[0]).toMatchObject({
      sessionId: 'v_recovery_fail',
      outcome: 'failure',
      success: false,
      attempts: [{ sessionId: 'v_recovery_fail' }, { sessionId: 'v_recovery_fail_r1', attempt: 1 }],
      assisted: { success: true, replans: 1 },
    });
    expect(recovery?.results.arms[0]).toMatchObject({
      successRate: { k: 0, n: 1 },
      assisted: { episodes: 1, known: 1, successes: 1, replanned: 1 },
    });
  });

  it('does not take a verifier who overrules the simulator for a conflict, nor for an outcome', async () => {
    cpSync(path.join(JULY, 'D15-verified-and-replanned'), workspace, { recursive: true });
    renameSync(path.join(workspace, 'SESSIONS.after.md'), path.join(workspace, 'SESSIONS.md'));
    edit('SESSIONS.md', (text) =>
      text
        .replace('status: replanned', 'status: succeeded')
        .replace('status: replanned', 'status: succeeded')
        .replace('success: false', 'success: true'),
    );
    const found = await collectHere();
    const record = found.runs.flatMap(({ records }) => records).find(({ taskId }) => taskId === 1);
    expect(record).toMatchObject({ outcome: 'failure', assisted: { success: true, replans: 0 } });
  });

  it('never takes a second attempt for a first one that is gone', async () => {
    cpSync(path.join(JULY, 'D15-verified-and-replanned'), workspace, { recursive: true });
    renameSync(path.join(workspace, 'SESSIONS.after.md'), path.join(workspace, 'SESSIONS.md'));
    edit('SESSIONS.md', (text) =>
      text
        .replace('session_id: v_recovery_fail\n', 'session_id: renamed\n')
        .replace('status: awaiting_verification', 'status: succeeded'),
    );
    const found = await collectHere();
    const orphan = found.unattributable.find(({ sessionId }) => sessionId === 'v_recovery_fail_r1');
    expect(orphan?.reason).toContain('it tries v_recovery_fail again for a verifier');
    expect(episodes(found).map((each) => (each as unknown[])[0])).not.toContain('v_recovery_fail_r1');
  });

  it('names a job that the target ran itself, and where its results are', async () => {
    const problem = await refused(collected('D04-target-native-success'));
    expect(problem.code).toBe('RB513');
    expect(problem.message).toBe(
      'No finished session can be reported on: 1 are jobs that the target ran itself.',
    );
    expect(problem.fix).toContain(
      'rollout-bench import artifacts/benchmarks/pi05_libero_spatial_target_benchmark_suite_run',
    );
  });
});

describe('RB513', () => {
  it('says that TARGETS.md is refused, and not that the target is missing from it', async () => {
    await collected('D03b-target-without-capabilities');
    edit('TARGETS.md', (text) => text.replace('  enabled: true\n', '  enabled: true\n  extra: 1\n'));
    edit('SESSIONS.md', (text) => text.replaceAll(/ {2}benchmark:\n(?: {4}.*\n)+/g, ''));
    rmSync(path.join(workspace, 'artifacts'), { recursive: true });
    const problem = await refused(collectHere({ sessionIds: ['r_nocap'] }));
    expect(problem.code).toBe('RB513');
    expect(problem.message).toContain('cannot be looked up, since TARGETS.md is not read');
    expect(problem.message).toContain('RB205 TARGETS.md targets[0] (id libero_real_remote) extra');
    expect(problem.message).not.toContain('is not in TARGETS.md');
    expect(problem.fix).toMatch(/^Mend TARGETS\.md/);
  });
});

describe('a workspace of May or early June', () => {
  it('is refused with one message that names the version', async () => {
    writeFileSync(
      path.join(workspace, 'SESSIONS.md'),
      '```yaml\nsessions:\n- {session_id: a, status: succeeded, target_ref: t, skill_ref: s}\n```\n',
    );
    for (const file of ['TARGETS.md', 'SKILLRUNTIME.md']) writeFileSync(path.join(workspace, file), '');
    const problem = await refused(collectHere());
    expect(problem).toMatchObject({ code: 'RB234' });
    expect(problem.message).toContain('May or early June 2026 (v0.1.1 to v0.1.3), which is not supported');
  });
});

describe('status', () => {
  it('names the dialect and the key that tells it, or what the user says', async () => {
    cpSync(path.join(JULY, 'D01-policy-loop'), workspace, { recursive: true });
    renameSync(path.join(workspace, 'SESSIONS.after.md'), path.join(workspace, 'SESSIONS.md'));
    const told = await called(['status', '--workspace', workspace]);
    await status(told.verb);
    expect(told.printed()).toMatch(
      /^Dialect of the runtime: july, by SESSIONS\.md sessions\[0\]\.execution\.reset_policy\n/,
    );
    const said = await called(['status', '--workspace', workspace, '--dialect', 'august', '--json']);
    await status(said.verb);
    expect(JSON.parse(said.printed())).toMatchObject({ runtime: { reading: { dialect: 'august' } } });
  });
});
