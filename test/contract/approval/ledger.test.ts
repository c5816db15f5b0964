import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApprovalLedger } from '../../../src/approval/ledger.ts';
import type { Claimant } from '../../../src/approval/uses.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { type Approval, bind } from '../../../src/model/approval.ts';
import { planDigest } from '../../../src/plan/make-plan.ts';
import { planOf } from '../bundle/bundle-builder.ts';
import { buildChild, startChild } from '../queue/child-process.ts';
import type { TakeWishes } from './take-child.ts';

const PLAN = planOf(7);
const DIGEST = planDigest(PLAN);
const binding = {
  planDigest: DIGEST,
  headCommit: 'c'.repeat(40),
  policyRef: null,
  checkpointDigest: null,
  imageDigest: null,
  distHash: null,
  suites: [PLAN.suite],
  workspace: 'e'.repeat(64),
};
const approvalOf = (eventId: number, readAt = '2026-11-29T12:00:00.000Z'): Approval =>
  bind(
    {
      repository: 'acme/robots',
      reference: { source: 'label', pullRequest: 12, eventId, label: 'ok' },
      actor: 'ada',
      permission: 'write',
      at: '2026-11-29T11:00:00Z',
      url: 'https://github.com/acme/robots/pull/12',
      comment: null,
    },
    PLAN.suite,
    binding,
    readAt,
  );
const who = (runId: string): Claimant => ({
  suite: PLAN.suite,
  shard: null,
  planDigest: DIGEST,
  runId,
  runUrl: null,
  suites: [PLAN.suite],
  policies: {},
});

let workspace: string;
let ledger: ApprovalLedger;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-approvals-'));
  ledger = new ApprovalLedger(hostFolder(workspace), Date.now);
});
afterEach(() => {
  rmSync(workspace, { recursive: true, force: true });
});
const file = () => hostFolder(workspace).approvals;
const taken = async (runId: string) => {
  const { approvals } = await ledger.read();
  return (await ledger.take({ toBegin: approvals, toGoOn: approvals }, who(runId))).kind;
};

describe('the approvals of a host', () => {
  it('are kept once, with their plan', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    await ledger.keep(approvalOf(1, '2026-11-29T13:00:00.000Z'), PLAN);
    const { approvals } = await ledger.read();
    expect(approvals).toEqual([approvalOf(1)]);
    expect(await ledger.planOf(approvalOf(1))).toEqual(PLAN);
  });

  it('are given to one of several processes that ask at once', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    const child = await buildChild(fileURLToPath(new URL('take-child.ts', import.meta.url)));
    try {
      const wishes = Array.from(
        { length: 5 },
        (_, at): TakeWishes => ({ workspace, runId: `run-${at}`, planDigest: DIGEST }),
      );
      const said = await Promise.all(wishes.map((each) => startChild(child.file, each).ended));
      expect(said.toSorted((left, right) => String(left).localeCompare(String(right)))).toEqual([
        'fresh',
        'used',
        'used',
        'used',
        'used',
      ]);
      expect((await ledger.read()).uses).toHaveLength(1);
    } finally {
      await child.remove();
    }
  });

  it('stay with a run that was killed, and nobody else gets them', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    expect(await taken('run-1')).toBe('fresh');
    // The process ends here without a word. Another host process looks at the file alone.
    ledger = new ApprovalLedger(hostFolder(workspace), Date.now);
    expect(await taken('run-2')).toBe('used');
    expect((await ledger.read()).uses).toMatchObject([{ state: 'unknown', reservation: { runId: 'run-1' } }]);
    expect(await taken('run-1')).toBe('continued');
  });

  it('survive a line that a crash cut off at any byte', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    const before = readFileSync(file()).length;
    expect(await taken('run-1')).toBe('fresh');
    const whole = readFileSync(file());
    for (let bytes = before; bytes < whole.length - 1; bytes += 7) {
      writeFileSync(file(), whole);
      truncateSync(file(), bytes);
      // What was cut off had not been answered, so nothing of that run was queued.
      expect(await taken('run-2')).toBe('fresh');
      expect(await taken('run-1')).toBe('used');
    }
  });

  it('are not read when a line is damaged: it may have been a use', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    expect(await taken('run-1')).toBe('fresh');
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('"reserved"', '"reserved'));
    await expect(taken('run-2')).rejects.toThrow(/RB380/);
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('"reserved', '"reversed"'));
    await expect(taken('run-2')).rejects.toThrow(/RB380/);
  });

  it('are not made by a line that claims to be approved', async () => {
    await ledger.keep(approvalOf(1), PLAN);
    appendFileSync(
      file(),
      `${JSON.stringify({ type: 'approved', at: 'now', approval: { approved: true } })}\n`,
    );
    await expect(ledger.read()).rejects.toThrow(/RB380/);
  });
});
