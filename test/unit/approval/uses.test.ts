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
  continuationDifferences,
} from '../../../src/model/approval.ts';

const AT = '2026-11-29T12:00:00.000Z';
const binding: Binding = {
  planDigest: 'a'.repeat(64),
  headCommit: 'c'.repeat(40),
  policyRef: 'v1',
  checkpointDigest: null,
  imageDigest: null,
  distHash: null,
  expectPolicy: null,
  endpoints: {},
  suites: ['libero_spatial'],
  workspace: 'e'.repeat(64),
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
  suites: binding.suites,
  policies: { candidate: 'sha256:1' },
});

/** The lines after a run took a right and ended in some state. */
function taken(lines: readonly ApprovalLine[], claimant: Claimant, state: UseState): ApprovalLine[] {
  const book = foldApprovals(lines);
  const got = claim(book, { toBegin: book.approvals, toGoOn: book.approvals }, claimant, AT);
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
  return claim(book, { toBegin: book.approvals, toGoOn: book.approvals }, claimant, AT).kind;
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
    expect(claim(book, { toBegin: book.approvals, toGoOn: book.approvals }, other, AT).kind).toBe('used');
  });

  it('is for the suites of one job, in their order, each once', () => {
    const of = (suite: string, runId: string, suites = ['libero_spatial', 'b']): Claimant => ({
      ...who(runId),
      suite,
      suites,
    });
    const lines = taken(approved, of('libero_spatial', 'run-1'), 'settled');
    expect(kindFor(lines, of('b', 'run-2'))).toBe('fresh');
    expect(kindFor(lines, of('libero_spatial', 'run-2'))).toBe('used');
    expect(kindFor(lines, of('b', 'run-3', ['b', 'libero_spatial']))).toBe('used');
    expect(kindFor(lines, of('b', 'run-4', ['b']))).toBe('used');
    // What an earlier version took did not say of which suites.
    const { suites: _, ...older } = of('libero_spatial', 'run-1');
    expect(kindFor(taken(approved, older, 'settled'), of('b', 'run-2'))).toBe('used');
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

  it('binds expectation, endpoints by role, suites and workspace', () => {
    const now: Binding = {
      ...binding,
      expectPolicy: '{"digest":null}',
      endpoints: { candidate: '1'.repeat(64), target: '2'.repeat(64) },
      suites: ['libero_object', 'libero_spatial'],
      workspace: 'f'.repeat(64),
    };
    expect(bindingDifferences(binding, now)).toEqual([
      'expect-policy was not set, now it is {"digest":null}',
      'the endpoint of the candidate is another one',
      'the endpoint of the target is another one',
      'it was read for another workspace',
      'the suites were libero_spatial, now they are libero_object, libero_spatial',
    ]);
    const swapped = { candidate: now.endpoints?.target ?? '', target: now.endpoints?.candidate ?? '' };
    expect(bindingDifferences(now, { ...now, endpoints: swapped })).toHaveLength(2);
    // One suite of several may go on by itself.
    expect(continuationDifferences(binding, { ...binding, suites: ['a', 'b'] })).toEqual([]);
  });

  it('of an earlier version covers going on and nothing new', () => {
    const { expectPolicy: _e, endpoints: _n, suites: _s, workspace: _w, ...before } = binding;
    expect(continuationDifferences(before, binding)).toEqual([]);
    expect(bindingDifferences(before, binding)).toEqual([expect.stringContaining('earlier version')]);
  });

  it('has a name that does not depend on the attempt that reads it', () => {
    const { id, reference, repository } = approvalOf(1);
    expect(approvalId(repository, reference, binding.headCommit)).toBe(id);
    expect(approvalOf(2).id).not.toBe(id);
  });
});
