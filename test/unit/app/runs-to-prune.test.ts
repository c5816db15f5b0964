import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsToPrune } from '../../../src/job/runs/prune-runs.ts';
import type { AttemptEntry, AttemptState, RunEntry } from '../../../src/job/runs/run-entry.ts';

interface Wishes {
  readonly state?: AttemptState;
  readonly suite?: string;
  readonly evidenceClass?: 'planned' | 'unplanned';
  readonly rawRemoved?: boolean;
  readonly heldOutOf?: string;
  readonly purpose?: string;
}

/** A run of the given age in days. */
function run(runId: string, age: number, wishes: Wishes = {}): RunEntry {
  const attempt: AttemptEntry = {
    attempt: 1,
    state: 'sealed',
    ending: null,
    suite: 's',
    evidenceClass: 'planned',
    resultsProblem: null,
    arms: null,
    report: null,
    manifestSha256: null,
    sealValid: null,
    bytes: null,
    quarantine: false,
    rawRemoved: false,
    modifiedAt: new Date(Date.UTC(2026, 10, 29 - age)).toISOString(),
    files: [],
    ...wishes,
  };
  return { runId, attempts: [attempt] };
}

const pruned = (runs: readonly RunEntry[], keep: number, spare: string | null = null): string[] =>
  runsToPrune(runs, { keep, spare, purpose: 'pr' }).map(({ runId }) => runId);

describe('runsToPrune', () => {
  it('takes the oldest sealed runs beyond the number', () => {
    const runs = [run('a', 3), run('b', 1), run('c', 2), run('d', 4)];
    expect(pruned(runs, 2)).toEqual(['d', 'a']);
    expect(pruned(runs, 4)).toEqual([]);
  });

  it('leaves runs of other purposes alone, and does not count them', () => {
    const of = (purpose: string, runId: string, age: number) => run(runId, age, { purpose });
    const runs = [
      of('pr', 'a', 1),
      of('release', 'b', 9),
      of('pr', 'c', 3),
      of('schedule', 'd', 2),
      run('e', 4),
    ];
    expect(pruned(runs, 1)).toEqual(['e', 'c']);
    expect(pruned(runs, 2)).toEqual(['e']);
  });

  it('takes held-out cells with the run that they belong to, and counts them as part of it', () => {
    const runs = [
      run('a', 3),
      run('a-heldout', 3, { heldOutOf: 'a' }),
      run('b', 2),
      run('b-heldout', 1, { heldOutOf: 'b' }),
      run('c', 1),
    ];
    expect(pruned(runs, 3)).toEqual([]);
    expect(pruned(runs, 2).toSorted()).toEqual(['a', 'a-heldout']);
  });

  it('never takes what can be resumed, and does not count it', () => {
    const runs = [
      run('a', 9, { state: 'interrupted' }),
      run('b', 8, { state: 'unsealed' }),
      run('c', 1),
      run('d', 2),
    ];
    expect(pruned(runs, 1)).toEqual(['d']);
  });

  it('never takes the newest planned run of a suite, nor a baseline', () => {
    const runs = [
      run('a', 1, { evidenceClass: 'unplanned' }),
      run('b', 2, { suite: 't' }),
      run('c', 3),
      run('d', 4),
      run('e', 5),
    ];
    expect(pruned(runs, 1)).toEqual(['e', 'd']);
    expect(pruned(runs, 1, 'e')).toEqual(['d']);
  });

  it('leaves alone what has nothing to remove', () => {
    expect(pruned([run('a', 1), run('b', 2, { rawRemoved: true }), run('c', 3)], 1)).toEqual(['c']);
  });

  it('keeps at least as many runs as asked, whatever the order they come in', () => {
    const ages = fc.uniqueArray(fc.nat(200), { maxLength: 30 });
    fc.assert(
      fc.property(ages, fc.integer({ min: 1, max: 10 }), (list, keep) => {
        const runs = list.map((age) => run(`r${age}`, age));
        const gone = pruned(runs, keep);
        expect(gone).toHaveLength(Math.max(0, list.length - keep));
        expect(pruned(runs.toReversed(), keep)).toEqual(gone);
      }),
    );
  });
});
