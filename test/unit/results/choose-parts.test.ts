import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainLine, FIRST_TIP, readChain } from '../../../src/journal/chain.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import type { Part } from '../../../src/results/measurement.ts';
import { mergeParts } from '../../../src/results/merge-shards.ts';
import { planOf, recordsOf } from '../verdict/records.ts';
import { makeRunFacts } from './record-builder.ts';

const PLAN = planOf({ tasks: 1, initStates: 4 });

interface Piece {
  /** Attempt of the workflow run; null outside of workflows. */
  readonly attempt: number | null;
  readonly digest?: string;
  readonly shard?: readonly [index: number, count: number];
  readonly job?: string;
  readonly end?: 'complete' | 'incomplete';
  readonly workflowRun?: string;
  /** Attempt of the run on its host. */
  readonly ownAttempt?: number;
}

let made = 0;

function part(piece: Piece): Part {
  const { attempt, digest = 'a', shard, job = 'measure', end = 'complete', workflowRun = '42' } = piece;
  const [index, count] = shard ?? [1, 1];
  const positions =
    shard === undefined ? null : PLAN.cells.map((_, at) => at).filter((at) => at % count === index - 1);
  const run = makeRunFacts({
    runId: `gh${workflowRun}-${job}${shard === undefined ? '' : `-${index}of${count}`}`,
    attempt: piece.ownAttempt ?? attempt ?? 1,
    planDigest: digest.repeat(64),
    shard: shard === undefined ? null : { index, count },
    positions,
    source: attempt === null ? {} : { githubRunId: workflowRun, runAttempt: attempt },
  });
  const records = recordsOf(PLAN, () => 'success').filter(
    ({ position }) => positions === null || positions.includes(position),
  );
  const ended = { type: 'ended', end, reason: null, foreignMs: 0, pausedMs: 0, totalMs: 1 } as const;
  const { line } = chainLine(FIRST_TIP, '2026-11-29T13:00:00.000Z', ended);
  const journal = readChain(`${line}\n`).records;
  made += 1;
  return {
    stopBaseline: null,
    heldOut: null,
    plan: PLAN,
    planDigest: run.planDigest,
    run,
    records,
    results: aggregate({ plan: PLAN, records, run, journal }),
    manifestSha256: made.toString(16).padStart(64, '0'),
  };
}

/** Which bundles were taken, whatever their order is; a code when they were refused. */
function chosen(...pieces: readonly Piece[]) {
  const parts = pieces.map(part);
  const { measurements, problems } = mergeParts(parts);
  if (problems.length > 0) return problems.map(({ code, fix }) => `${code} ${fix}`);
  return measurements[0]?.parts.map((one) => parts.indexOf(one)).toSorted((a, b) => a - b);
}

describe('a workflow run that was run again', () => {
  it('with other inputs is reported with the newest attempt, and the other one is named', () => {
    expect(chosen({ attempt: 1, digest: 'a' }, { attempt: 2, digest: 'b' })).toEqual([1]);
    const [measurement] = mergeParts([
      part({ attempt: 1, digest: 'a' }),
      part({ attempt: 2, digest: 'b' }),
    ]).measurements;
    expect(measurement?.planDigest).toBe('b'.repeat(64));
    expect(measurement?.notes).toEqual([
      {
        code: 'attempts_set_aside',
        text: 'Set aside: attempt 1 measured plan aaaaaaaaaaaa. Attempt 2 of the workflow run counts, with plan bbbbbbbbbbbb: of several attempts it is the newest complete one.',
      },
    ]);
  });

  it('in part, with other inputs, is reported with the last attempt that is whole', () => {
    const whole: Piece[] = [
      { attempt: 1, digest: 'a', shard: [1, 2] },
      { attempt: 1, digest: 'a', shard: [2, 2] },
    ];
    expect(chosen(...whole, { attempt: 2, digest: 'b', shard: [2, 2] })).toEqual([0, 1]);
    expect(
      chosen(
        ...whole,
        { attempt: 2, digest: 'b', shard: [2, 2] },
        { attempt: 2, digest: 'b', shard: [1, 2] },
      ),
    ).toEqual([2, 3]);
  });

  it('so that no attempt is whole says how to get one, and that advice works', () => {
    const halves: Piece[] = [
      { attempt: 1, digest: 'a', shard: [1, 2] },
      { attempt: 2, digest: 'b', shard: [2, 2] },
    ];
    expect(chosen(...halves)).toEqual([expect.stringMatching(/^RB611 .*Re-run all jobs/)]);
    const again = [1, 2].map((index): Piece => ({ attempt: 3, digest: 'b', shard: [index, 2] }));
    expect(chosen(...halves, ...again)).toEqual([2, 3]);
  });

  it('with the failed half only is put together with the other half', () => {
    expect(
      chosen(
        { attempt: 1, shard: [1, 2] },
        { attempt: 1, shard: [2, 2], end: 'incomplete' },
        { attempt: 2, shard: [2, 2] },
      ),
    ).toEqual([0, 2]);
  });

  it('with the same inputs is reported with the newest attempt that came to its end', () => {
    expect(chosen({ attempt: 1 }, { attempt: 2 })).toEqual([1]);
    expect(chosen({ attempt: 1 }, { attempt: 2, end: 'incomplete' })).toEqual([0]);
    expect(chosen({ attempt: 1, end: 'incomplete' }, { attempt: 2, end: 'incomplete' })).toEqual([1]);
    // On another host the run counts its own attempts from 1 again.
    expect(chosen({ attempt: 1, ownAttempt: 5 }, { attempt: 2, ownAttempt: 1 })).toEqual([1]);
  });

  it('over another number of hosts counts with the newer cut', () => {
    const before = [1, 2].map((index): Piece => ({ attempt: 1, shard: [index, 2] }));
    expect(chosen(...before, { attempt: 2, job: 'measure' })).toEqual([2]);
  });
});

describe('what is no later attempt stays refused', () => {
  it('two jobs of one attempt that measure the suite differently', () => {
    expect(chosen({ attempt: 2, digest: 'a', job: 'x' }, { attempt: 2, digest: 'b', job: 'y' })).toEqual([
      expect.stringMatching(/^RB611 .*artifact-name/),
    ]);
  });

  it('two jobs that measure the same cells', () => {
    expect(chosen({ attempt: 1, job: 'x' }, { attempt: 1, job: 'y' })).toEqual([
      expect.stringMatching(/^RB610/),
    ]);
  });

  it.each([
    [
      'of different workflow runs',
      { attempt: 1, digest: 'a' },
      { attempt: 2, digest: 'b', workflowRun: '43' },
    ],
    ['of the command line', { attempt: null, digest: 'a' }, { attempt: null, digest: 'b' }],
  ] satisfies [string, Piece, Piece][])('plans %s', (_what, first, second) => {
    expect(chosen(first, second)).toEqual([expect.stringMatching(/^RB611 .*bundles of one plan/)]);
  });
});

it('tells of older attempts in the order of the shards, whatever order the bundles come in', () => {
  const parts = [2, 1]
    .flatMap((index): Piece[] => [
      { attempt: 1, digest: 'a', shard: [index, 2], end: 'incomplete' },
      { attempt: 1, digest: 'a', shard: [index, 2], end: 'complete' },
    ])
    .map(part);
  const notesOf = (order: readonly Part[]) => mergeParts(order).measurements.flatMap(({ notes }) => notes);
  const texts = notesOf(parts).map((note) => note?.text);
  expect(texts).toEqual([expect.stringContaining('-1of2'), expect.stringContaining('-2of2')]);
  expect(notesOf(parts.toReversed())).toEqual(notesOf(parts));
});

it('chooses the same bundles in whatever order they come', () => {
  const piece = fc.record({
    attempt: fc.integer({ min: 1, max: 3 }),
    digest: fc.constantFrom('a', 'b'),
    shard: fc.constantFrom<readonly [number, number]>([1, 2], [2, 2], [1, 1]),
    end: fc.constantFrom('complete' as const, 'incomplete' as const),
  });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const parts = pieces.map(part);
      const taken = (order: readonly Part[]) => {
        const { measurements, problems } = mergeParts(order);
        return [
          problems,
          measurements.map(({ parts: found, notes }) => [found.map((one) => one.manifestSha256), notes]),
        ];
      };
      expect(taken(parts.toReversed())).toEqual(taken(parts));
    }),
    { numRuns: 200 },
  );
});
