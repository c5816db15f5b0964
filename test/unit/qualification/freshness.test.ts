import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bound, Qualification } from '../../../src/model/qualification.ts';
import { boundDifferences, boundOf } from '../../../src/qualification/bound.ts';
import { freshQualification } from '../../../src/qualification/freshness.ts';
import type { Fingerprint } from '../../../src/verdict/fingerprint.ts';
import { BOUND, makeQualification } from './qualification-builder.ts';

const MADE = Date.parse('2026-11-29T12:00:00.000Z');
const DAY_MS = 86_400_000;

const ask = (kept: readonly Qualification[], bound: Bound = BOUND, nowMs = MADE + DAY_MS) =>
  freshQualification({ kept, bound, nowMs, maxAgeMs: 7 * DAY_MS });

describe('a qualification that a run may rely on', () => {
  test('is the newest one, of the same things, young enough', () => {
    expect(ask([makeQualification()])).toMatchObject({ kind: 'fresh' });
    expect(ask([makeQualification()], BOUND, MADE + 7 * DAY_MS)).toMatchObject({ kind: 'fresh' });
  });

  test('none is there: says of what there is one', () => {
    expect(ask([])).toMatchObject({ kind: 'none', code: 'RB371' });
    const other = makeQualification({ bound: { ...BOUND, suite: 'libero_10' } });
    expect(ask([other])).toMatchObject({
      code: 'RB371',
      why: expect.stringContaining('libero_10 on libero_real_remote'),
    });
  });

  test.each([
    ['contract', { contractSha256: 'e'.repeat(64) }, "the target's contract is another one"],
    ['endpoint', { targetEndpointSha256: 'e'.repeat(64) }, "the target's endpoint is another one"],
    [
      'simulator',
      { fingerprint: { ...BOUND.fingerprint, simulator: 'other' } },
      'fingerprint differs in simulator',
    ],
    [
      'config',
      { fingerprint: { ...BOUND.fingerprint, 'config.action_dim': 8 } },
      'fingerprint differs in config.action_dim',
    ],
    ['version', { tool: { ...BOUND.tool, version: '0.2.0' } }, 'Rollout Bench was 0.1.0, now it is 0.2.0'],
    [
      'build',
      { tool: { ...BOUND.tool, distHash: 'e'.repeat(64) } },
      'the build of Rollout Bench is another one',
    ],
  ])('is void when the %s differs, and names it', (_, change, words) => {
    const found = ask([makeQualification()], { ...BOUND, ...change });
    expect(found).toMatchObject({ kind: 'none', code: 'RB372', why: expect.stringContaining(words) });
  });

  test('too old or still to come', () => {
    expect(ask([makeQualification()], BOUND, MADE + 7 * DAY_MS + 1)).toMatchObject({
      code: 'RB373',
      why: expect.stringContaining('7 days old, and qualification-age allows 7 days'),
    });
    expect(ask([makeQualification()], BOUND, MADE - DAY_MS)).toMatchObject({ code: 'RB373' });
  });

  test('an older one that passed does not count once a later one did not', () => {
    const failed = makeQualification({
      id: 'later',
      qualifiedAt: '2026-11-29T13:00:00.000Z',
      qualified: false,
      controls: makeQualification().controls.map((control) => ({ ...control, state: 'misbehaved' as const })),
    });
    for (const kept of [
      [makeQualification(), failed],
      [failed, makeQualification()],
    ]) {
      expect(ask(kept)).toMatchObject({
        code: 'RB374',
        why: expect.stringContaining('no-motion misbehaved'),
      });
    }
    // Of another suite it says nothing.
    const elsewhere = { ...failed, bound: { ...BOUND, suite: 'libero_10' } };
    expect(ask([makeQualification(), elsewhere])).toMatchObject({ kind: 'fresh' });
  });

  test('what nobody knows on either side is no difference, what one side knows is one', () => {
    const facts = {
      suite: BOUND.suite,
      skillruntime: BOUND.skillruntime,
      target: BOUND.target,
      targetEndpoint: 'targetws://127.0.0.1:9002',
      contract: { target_id: 'libero_real_remote', version: 1 },
      fingerprint: { ...BOUND.fingerprint, gl_renderer: null, max_steps: 220 } as Fingerprint,
      asked: BOUND.asked ?? {},
      tool: BOUND.tool,
    };
    expect(boundDifferences(BOUND, boundOf(facts))).toEqual([]);
    const blind = { ...facts.fingerprint, simulator: null };
    expect(boundDifferences(BOUND, boundOf({ ...facts, fingerprint: blind }))).toEqual([
      "the target's fingerprint differs in simulator (known on one side only)",
    ]);
  });

  test.each([
    [{ 'min-success-rate': 0.1 }, 'min-success-rate was 50 %, now it is 10 %'],
    [{ 'min-success-rate': null }, 'min-success-rate was 50 %, now it is not set'],
    [{ 'min-task-success-rate': 0.01 }, 'min-task-success-rate was not set, now it is 1 %'],
    [{ 'max-steps': 2000 }, 'max-steps was 220, now it is 2000'],
  ])('a run that asks %j is not what was shown', (other, said) => {
    expect(boundDifferences(BOUND, { ...BOUND, asked: { ...BOUND.asked, ...other } })).toEqual([said]);
    expect(boundDifferences({ ...BOUND, asked: undefined }, BOUND)).toEqual([
      'floors and step limits that it was made with are not known',
    ]);
  });

  test('property: whatever else the host keeps, the answer is that of the newest about the same things', () => {
    const kept = fc.array(
      fc.record({
        hours: fc.integer({ min: 0, max: 400 }),
        qualified: fc.boolean(),
        suite: fc.constantFrom('libero_spatial', 'libero_10'),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(kept, (items) => {
        const all = items.map(({ hours, qualified, suite }, index) =>
          makeQualification({
            id: `q${index}`,
            qualified,
            qualifiedAt: new Date(MADE + hours * 3_600_000 + index).toISOString(),
            bound: { ...BOUND, suite },
          }),
        );
        const nowMs = MADE + 401 * 3_600_000;
        const mine = all.filter(({ bound }) => bound.suite === BOUND.suite);
        const newest = mine.toSorted((a, b) => Date.parse(b.qualifiedAt) - Date.parse(a.qualifiedAt))[0];
        const found = ask(all, BOUND, nowMs);
        const young = newest !== undefined && nowMs - Date.parse(newest.qualifiedAt) <= 7 * DAY_MS;
        if (newest?.qualified === true && young)
          expect(found).toEqual({ kind: 'fresh', qualification: newest });
        else expect(found.kind).toBe('none');
      }),
    );
  });
});
