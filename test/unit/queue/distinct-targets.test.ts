import { expect, test } from 'vitest';
import { requireDistinctTargets } from '../../../src/queue/cell-target.ts';
import { planOf } from '../verdict/records.ts';

const plan = planOf({ tasks: 2, initStates: 1, arms: ['candidate', 'baseline'] });
const targets = (ids: readonly string[]) => new Map(ids.map((id, position) => [position, { id }]));
const bySession = { ...plan, evidence: 'session' as const };

test('two cells with one cell target are refused where nothing else tells them apart', () => {
  const shared = targets(['t--rb-0', 't--rb-0', 't--rb-0', 't--rb-0']);
  expect(() => requireDistinctTargets(bySession, shared)).toThrow(/RB366 cells/);
  expect(() => requireDistinctTargets(plan, shared)).not.toThrow();
});

test('the arms of one cell share theirs', () => {
  expect(() => requireDistinctTargets(bySession, targets(['a', 'a', 'b', 'b']))).not.toThrow();
});
