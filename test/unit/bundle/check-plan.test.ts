import { expect, test } from 'vitest';
import { evidenceFaults } from '../../../src/bundle/check-plan.ts';
import { FIRST_TIP } from '../../../src/journal/chain.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { planOf } from '../verdict/records.ts';

const simulator = planOf({ tasks: 2, initStates: 1, arms: ['candidate', 'baseline'] });
const bySession: Plan = { ...simulator, evidence: 'session' };

function faults(plan: Plan, targets: readonly string[], fingerprint: Record<string, unknown>): string[] {
  const records = targets.map((cellTarget, position) => {
    const cell = plan.cells[position] ?? {
      taskId: 0,
      initStateId: 0,
      runIndex: 0,
      arm: 'candidate' as const,
    };
    const sessionId = `s${position}`;
    const event: JournalEvent = { type: 'intent', sessionId, position, sessionAttempt: 0, cellTarget, cell };
    return { seq: position, at: '', prev: '', event };
  });
  const journal = { records, fault: null, tornBytes: 0, tip: FIRST_TIP };
  const run = makeRunFacts({ fingerprint });
  return evidenceFaults({ plan, run, journal, stopBaseline: null, heldOut: null }).map(({ path }) => path);
}

test('two cells of one cell target are a difference where nothing else tells them apart', () => {
  expect(faults(bySession, ['a', 'a', 'b', 'b'], { evidence: 'session' })).toEqual([]);
  expect(faults(bySession, ['a', 'a', 'a', 'b'], { evidence: 'session' })).toEqual(['journal.jsonl']);
  expect(faults(simulator, ['a', 'a', 'a', 'a'], {})).toEqual([]);
});

test('a fingerprint that hides the evidence, or claims it, is a difference', () => {
  expect(faults(bySession, [], {})).toEqual(['run.json']);
  expect(faults(simulator, [], { evidence: 'session' })).toEqual(['run.json']);
});
