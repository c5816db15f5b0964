import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApprovalLedger } from '../../../src/approval/ledger.ts';
import type { UseState } from '../../../src/approval/uses.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { ApprovalStage } from './approval-stage.ts';

const RUN = 'gh42-gate-libero_spatial';

let stage: ApprovalStage;
beforeEach(async () => {
  stage = await ApprovalStage.open();
  stage.reviewed();
  expect(await stage.approve()).toBe('exit 0');
});
afterEach(async () => {
  await stage.close();
});

/** A run takes its right and its process ends there, without a word. */
async function crashed(state: UseState = 'reserved', policy: string | null = null): Promise<void> {
  const ledger = new ApprovalLedger(hostFolder(stage.workspace), Date.now);
  const { approvals } = await ledger.read();
  const [approval] = approvals;
  if (approval === undefined) throw new Error('nothing was approved');
  const { suite, binding } = approval;
  const taken = await ledger.take(
    { toBegin: approvals, toGoOn: approvals },
    {
      ...{ suite, shard: null, planDigest: binding.planDigest, runId: RUN, suites: [suite] },
      runUrl: 'https://github.com/acme/robots/actions/runs/42',
      ...(policy === null ? {} : { policies: { candidate: policy } }),
    },
  );
  if (taken.kind !== 'fresh') throw new Error(taken.kind);
  if (state !== 'reserved') await ledger.mark(taken.reservation, state);
}

describe('a run that crashed between its reservation and its first session', () => {
  it.each<UseState>(['reserved', 'running', 'interrupted', 'unknown'])(
    'goes on by a re-run of the same job when its right is %s',
    async (state) => {
      await crashed(state);
      expect(await stage.run({ attempt: 2 })).toBe('exit 0');
      expect(await stage.run({ attempt: 3 })).toContain('RB379');
    },
  );

  it('goes on after another job asked in between, which is told what works', async () => {
    await crashed();
    const said = await stage.run({ githubRun: 43 });
    expect(said).toContain('RB379');
    expect(said).toContain('Run its job again');
    const [, runId = '', suite = ''] = /resume: (\S+) and suite: (\S+)\. Or:/.exec(said) ?? [];
    expect(runId).toBe(RUN);
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    // The first half of the advice, or the second: whoever is first has it.
    expect(await stage.run({ githubRun: 44, inputs: { resume: runId, suite } })).toBe('exit 0');
    expect(await stage.run({ attempt: 2 })).toContain('RB379');
  });

  it('goes on with the policy that it met, and with no other', async () => {
    await crashed('reserved', `sha256:${'0'.repeat(64)}`);
    const said = await stage.run({ attempt: 2 });
    expect(said).toContain('RB378');
    expect(said).toContain('another policy: the candidate policy was sha256:000');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
  });

  it('does not begin anew because its folder was taken away', async () => {
    expect(await stage.run()).toBe('exit 0');
    const ledger = hostFolder(stage.workspace).approvals;
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n');
    writeFileSync(ledger, `${lines.slice(0, -1).join('\n')}\n`);
    rmSync(join(stage.workspace, 'artifacts/rollout-bench', RUN), { recursive: true });
    expect(await stage.run({ attempt: 2 })).toContain('RB382');
    const other = await stage.run({ githubRun: 43 });
    expect(other).toContain('cannot go on: the folder of its attempt is gone');
    expect(other).not.toContain('resume:');
    expect(await stage.run({ githubRun: 43, inputs: { resume: RUN } })).toMatch(/RB382|RB420/);
  });

  it('is no run that an unknown id names', async () => {
    await crashed();
    const said = await stage.run({ githubRun: 43, inputs: { resume: 'gh41-gate-libero_spatial' } });
    expect(said).toContain('RB379');
  });
});
