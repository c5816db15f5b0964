import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ApprovalLine,
  type Claimant,
  claim,
  foldApprovals,
  type UseState,
} from '../../../src/approval/uses.ts';
import {
  type Approval,
  approvalId,
  type Binding,
  bind,
  bindingDifferences,
} from '../../../src/model/approval.ts';

const AT = '2026-11-29T12:00:00.000Z';
const binding: Binding = {
  planDigest: 'a'.repeat(64),
  headCommit: 'c'.repeat(40),
  policyRef: 'v1',
  checkpointDigest: null,
  imageDigest: null,
  distHash: null,
};
const approvalOf = (ordinal: number): Approval =>
  bind(
    {
      repository: 'acme/robots',
      reference: { source: 'environment', runId: 42, environment: 'release', ordinal },
      actor: 'ada',
      permission: null,
      at: null,
      url: 'https://github.com/acme/robots/actions/runs/42',
      comment: null,
    },
    'libero_spatial',
    binding,
    AT,
  );
const who = (runId: string, shard: Claimant['shard'] = null): Claimant => ({
  suite: 'libero_spatial',
  shard,
  planDigest: binding.planDigest,
  runId,
  runUrl: null,
});

/** The lines after a run took a right and ended in some state. */
function taken(lines: readonly ApprovalLine[], claimant: Claimant, state: UseState): ApprovalLine[] {
  const book = foldApprovals(lines);
  const got = claim(book, book.approvals, claimant, AT);
  if (got.kind !== 'fresh') throw new Error(`got ${got.kind}`);
  const { reservation } = got;
  const { approvalId: id, suite, runId } = reservation;
  return [
    ...lines,
    { type: 'reserved', at: AT, reservation },
    { type: 'state', at: AT, approvalId: id, suite, runId, state },
  ];
}

const approved: ApprovalLine[] = [{ type: 'approved', at: AT, approval: approvalOf(1) }];
const kindFor = (lines: readonly ApprovalLine[], claimant: Claimant): string => {
  const book = foldApprovals(lines);
  return claim(book, book.approvals, claimant, AT).kind;
};

describe('the right that an approval gives', () => {
  it('is one run, whoever asks again', () => {
    const lines = taken(approved, who('run-1'), 'settled');
    expect(kindFor(lines, who('run-2'))).toBe('used');
    expect(kindFor(lines, who('run-1'))).toBe('used');
  });

  it.each<UseState>(['reserved', 'running', 'interrupted', 'unknown'])(
    'stays with the run that took it while it is %s',
    (state) => {
      const lines = taken(approved, who('run-1'), state);
      expect(kindFor(lines, who('run-1'))).toBe('continued');
      expect(kindFor(lines, who('run-2'))).toBe('used');
    },
  );

  it('comes back from a run that queued nothing', () => {
    expect(kindFor(taken(approved, who('run-1'), 'released'), who('run-2'))).toBe('fresh');
  });

  it('comes anew with another approval', () => {
    const lines: ApprovalLine[] = [
      ...taken(approved, who('run-1'), 'settled'),
      { type: 'approved', at: AT, approval: approvalOf(2) },
    ];
    expect(kindFor(lines, who('run-1'))).toBe('fresh');
  });

  it('is for every shard of one division, each once, and for no other division beside it', () => {
    const lines = taken(approved, who('run-1', { index: 1, count: 2 }), 'settled');
    expect(kindFor(lines, who('run-2', { index: 2, count: 2 }))).toBe('fresh');
    expect(kindFor(lines, who('run-3', { index: 1, count: 2 }))).toBe('used');
    expect(kindFor(lines, who('run-4', { index: 2, count: 3 }))).toBe('used');
    expect(kindFor(lines, who('run-5'))).toBe('used');
  });

  it('is not had again by another plan of the suite under the same approval', () => {
    const lines = taken(approved, who('run-1'), 'settled');
    const book = foldApprovals(lines);
    const other: Claimant = { ...who('run-2', { index: 2, count: 2 }), planDigest: 'b'.repeat(64) };
    expect(claim(book, book.approvals, other, AT).kind).toBe('used');
  });

  it('is never had by two runs, in whatever order they ask', () => {
    const step = fc.record({
      run: fc.nat(3),
      state: fc.constantFrom<UseState>('running', 'settled', 'interrupted'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 3 }), (steps, approvals) => {
        let lines: ApprovalLine[] = Array.from({ length: approvals }, (_, at) => ({
          type: 'approved',
          at: AT,
          approval: approvalOf(at + 1),
        }));
        for (const { run, state } of steps) {
          if (kindFor(lines, who(`run-${run}`)) === 'fresh') lines = taken(lines, who(`run-${run}`), state);
        }
        const rights = foldApprovals(lines).uses.map(({ reservation }) => reservation.approvalId);
        expect(new Set(rights).size).toBe(rights.length);
      }),
    );
  });
});

describe('what an approval is bound to', () => {
  it('names everything that differs', () => {
    const now = { ...binding, headCommit: 'd'.repeat(40), policyRef: 'v2', checkpointDigest: 'sha256:1' };
    expect(bindingDifferences(binding, now)).toEqual([
      expect.stringContaining('commit was ccc'),
      'policy-ref was v1, now it is v2',
      'checkpoint-digest was unknown, now it is sha256:1',
    ]);
    expect(bindingDifferences(binding, { ...binding })).toEqual([]);
  });

  it('has a name that does not depend on the attempt that reads it', () => {
    const { id, reference, repository } = approvalOf(1);
    expect(approvalId(repository, reference, binding.headCommit)).toBe(id);
    expect(approvalOf(2).id).not.toBe(id);
  });
});
