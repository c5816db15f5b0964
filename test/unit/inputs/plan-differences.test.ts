import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planDifferences } from '../../../src/inputs/plan-differences.ts';
import { makePlan, type PlanRequest, planDigest } from '../../../src/plan/make-plan.ts';
import { planRequest } from '../plan/plan-request.ts';

const plain = makePlan(planRequest());
const against = (change: Partial<PlanRequest>) =>
  planDifferences(plain, makePlan(planRequest({ ...change })));

describe('planDifferences', () => {
  it('names each differing field with both values, and not the cells that follow from it', () => {
    const { limits, thresholds } = planRequest();
    expect(
      against({
        limits: { ...limits, maxSteps: 210 },
        thresholds: { ...thresholds, minSuccessRate: 0.9 },
        initStates: [0, 1, 2],
        targetConfig: { camera_height: 128, camera_width: 256 },
        seed: 7,
      }),
    ).toEqual([
      'init-states was 0-9, now 0-2',
      'seed was 0, now 7',
      'max-steps was 220, now 210',
      'targetConfig.camera_height was 256, now 128',
      'min-success-rate was not set, now 0.9',
    ]);
  });

  it('names a field that only one of them has', () => {
    expect(against({ earlyStop: true })).toEqual(['early-stop was not set, now true']);
  });

  it('gives values as inputs take them: seconds with their unit, words without quotes', () => {
    const { limits } = planRequest();
    expect(
      against({
        limits: { ...limits, sessionTimeoutS: 90.5 },
        timeoutsAs: 'failure',
        caps: { maxSessions: 120, maxWallTimeS: 3600 },
      }),
    ).toEqual([
      `session-timeout was ${limits.sessionTimeoutS}s, now 90.5s`,
      'timeouts-as was error, now failure',
      'caps sessions was not set, now 120',
      'caps wall-time was not set, now 3600s',
    ]);
  });

  it('shows what a file holds in place of a word on one line, in quotes', () => {
    expect(planDifferences(plain, { ...plain, skillruntime: 'a\nb c' })).toEqual([
      `skillruntime was ${plain.skillruntime}, now "a\\nb c"`,
    ]);
  });

  it('sees caps that are there and hold nothing', () => {
    expect(planDifferences(plain, { ...plain, caps: {} })).toEqual(['caps was not set, now {}']);
  });

  it('sees a language that differs beyond what is shown, on one line', () => {
    const languages = (end: string) =>
      planRequest().tasks.map(({ taskId }) => ({ taskId, language: `${'x\n'.repeat(80)}${end}` }));
    const [found, ...rest] = planDifferences(
      makePlan(planRequest({ tasks: languages('a') })),
      makePlan(planRequest({ tasks: languages('b') })),
    );
    expect(found).toMatch(/^language of task 0 was "x.*…, now "x.*…$/);
    expect(rest).toHaveLength(9);
  });

  it('sees cells that were edited by hand', () => {
    expect(planDifferences(plain, { ...plain, cells: plain.cells.toReversed() })).toEqual([
      'cells are others, or in another order',
    ]);
    expect(planDifferences(plain, { ...plain, cells: plain.cells.slice(1) })).toEqual([
      'cells were 100, now 99',
    ]);
  });

  it('is empty exactly when the digests are equal', () => {
    const changes = fc.record(
      {
        seed: fc.nat(2),
        repeats: fc.integer({ min: 1, max: 2 }),
        initStates: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
        retryErrors: fc.nat(1),
        earlyStop: fc.boolean(),
        timeoutsAs: fc.constantFrom('error' as const, 'failure' as const),
        targetConfig: fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()),
        tasks: fc.uniqueArray(fc.record({ taskId: fc.nat(3), language: fc.string({ maxLength: 2 }) }), {
          minLength: 1,
          selector: ({ taskId }) => taskId,
        }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        const [left, right] = [makePlan(planRequest(one)), makePlan(planRequest(other))];
        expect(planDifferences(left, right).length === 0).toBe(planDigest(left) === planDigest(right));
      }),
    );
  });
});

describe('planDifferences of a held-out plan', () => {
  it('names fields and no value of them', () => {
    const heldOut = { commitment: 'a'.repeat(64), count: 3, salt: 's'.repeat(32) };
    const before = makePlan(planRequest({ heldOut, initStates: [41, 42, 43] }));
    const now = makePlan(planRequest({ heldOut, initStates: [41, 42, 44] }));
    expect(planDifferences(before, now)).toEqual(['initStates differs', 'cells differs']);
    expect(planDifferences(before, before)).toEqual([]);
  });
});
