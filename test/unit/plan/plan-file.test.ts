import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WhyNot } from '../../../src/base/why-not.ts';
import { observed } from '../../../src/model/pins.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { planFileText, plansIn } from '../../../src/plan/plan-file.ts';
import { planRequest } from './plan-request.ts';

const plan = makePlan(planRequest());
const text = planFileText([{ plan, pins: [observed('GPU', null)] }]);
const edited = (change: (entry: Record<string, unknown>) => void): string => {
  // Made by the line above.
  const entries = JSON.parse(text) as Record<string, unknown>[];
  for (const entry of entries) change(entry);
  return JSON.stringify(entries);
};

function whyNot(text: string): string {
  const found = plansIn(text);
  if (!(found instanceof WhyNot)) throw new Error('it is a plan');
  return found.why;
}

describe('a plan file', () => {
  it('is read as it was written, and so is the plan of a bundle', () => {
    expect(plansIn(text)).toEqual([plan]);
    expect(plansIn(JSON.stringify(plan))).toEqual([plan]);
  });

  it('is refused when a plan was edited after its digest was taken', () => {
    const lower = edited((entry) => {
      entry.plan = { ...plan, thresholds: { ...plan.thresholds, minSuccessRate: 0.1 } };
    });
    expect(whyNot(lower)).toBe('the plan of libero_spatial was edited after its digest was taken');
  });

  it('cannot approve itself: unknown fields are refused, in the entry and in the plan', () => {
    const outside = edited((entry) => {
      entry.approved = true;
    });
    expect(whyNot(outside)).toMatch(/approved/);
    expect(whyNot(JSON.stringify({ ...plan, approved: true }))).toMatch(/approved/);
  });

  it('names the format of another release', () => {
    expect(whyNot(JSON.stringify({ ...plan, schema: 'rollout-bench/plan/9' }))).toMatch(
      /rollout-bench\/plan\/9 is unknown here/,
    );
  });

  it('is refused when it is nested so deeply that nobody can walk over it', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = JSON.stringify({ ...plan, targetConfig: { x: 'deep' } }).replace('"deep"', deep);
    expect(whyNot(text)).toBe('it is nested deeper than 100 levels');
    expect(plansIn(text.replace(deep, `${'['.repeat(30)}${']'.repeat(30)}`))).toHaveLength(1);
  });

  it('never fails in another way than by a text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (any) => {
        expect(plansIn(any)).toBeInstanceOf(WhyNot);
      }),
    );
  });
});
