import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import {
  cellStanding,
  consecutiveErrors,
  isFinished,
  nextAdmissions,
} from '../../../src/queue/machine/admission.ts';
import { RunMemory } from '../../../src/queue/machine/run-memory.ts';

const RULES = { queueWindow: 2, retryErrors: 1 };
const POSITIONS = [0, 1, 2, 3];

function intent(position: number, sessionAttempt = 0): JournalEvent {
  const cell = { taskId: position, initStateId: 0, runIndex: 0, arm: 'candidate' as const };
  const sessionId = `s${position}-${sessionAttempt}`;
  return { type: 'intent', sessionId, position, sessionAttempt, cell, cellTarget: `T${position}` };
}

type Collected = Extract<JournalEvent, { type: 'collected' }>;
function collected(sessionId: string, outcome: Collected['outcome']): JournalEvent {
  const unknown = { startedAt: null, finishedAt: null, durationMs: null };
  return {
    type: 'collected',
    sessionId,
    outcome,
    errorCode: null,
    errorMessage: null,
    files: [],
    omitted: [],
    ...unknown,
  };
}

function memoryOf(...events: readonly JournalEvent[]): RunMemory {
  return new RunMemory(1).with(events);
}

describe('nextAdmissions', () => {
  it('fills the window in planned order', () => {
    expect(nextAdmissions(memoryOf(), POSITIONS, RULES)).toEqual([0, 1]);
    expect(nextAdmissions(memoryOf(intent(0)), POSITIONS, RULES)).toEqual([1]);
    expect(nextAdmissions(memoryOf(intent(0), intent(1)), POSITIONS, RULES)).toEqual([]);
  });

  it('queues a retry before new cells', () => {
    const memory = memoryOf(intent(0), intent(1), collected('s1-0', 'error'));
    expect(nextAdmissions(memory, POSITIONS, RULES)).toEqual([1]);
  });

  it('never retries a failure, and an error only as often as asked', () => {
    expect(cellStanding(memoryOf(intent(0), collected('s0-0', 'failure')), 0, RULES)).toBe('done');
    const twice = [intent(0), collected('s0-0', 'error'), intent(0, 1), collected('s0-1', 'error')];
    expect(cellStanding(memoryOf(...twice), 0, RULES)).toBe('done');
    expect(cellStanding(memoryOf(...twice), 0, { ...RULES, retryErrors: 2 })).toBe('retry');
  });

  it('gives a lost session a new one even without retries, but not for ever', () => {
    const lost = (attempt: number): JournalEvent[] => [
      intent(0, attempt),
      { type: 'lost', sessionId: `s0-${attempt}`, reason: 'gone' },
    ];
    const none = { ...RULES, retryErrors: 0 };
    expect(cellStanding(memoryOf(...lost(0)), 0, none)).toBe('retry');
    expect(cellStanding(memoryOf(...lost(0), ...lost(1), ...lost(2), ...lost(3)), 0, none)).toBe('done');
  });

  it('waits with a connection error until it was weighed, and counts only what counts', () => {
    const lost = (attempt: number): JournalEvent[] => [
      intent(0, attempt),
      {
        ...(collected(`s0-${attempt}`, 'error') as Collected),
        errorCode: 'TARGET_CONNECTION',
        errorMessage: 'failed to connect target endpoint targetws://h:1: [Errno 111] Connection refused',
      },
    ];
    const weighed = (attempt: number, counts: boolean): JournalEvent => {
      return { type: 'weighed', sessionId: `s0-${attempt}`, counts, reason: 'asked' };
    };
    const none = { ...RULES, retryErrors: 0 };
    expect(cellStanding(memoryOf(...lost(0)), 0, none)).toBe('unweighed');
    expect(isFinished(memoryOf(...lost(0)), [0], none)).toBe(false);
    expect(nextAdmissions(memoryOf(...lost(0)), [0], none)).toEqual([]);
    expect(cellStanding(memoryOf(...lost(0), weighed(0, false)), 0, none)).toBe('retry');
    expect(cellStanding(memoryOf(...lost(0), weighed(0, true)), 0, none)).toBe('done');
    const twice = [...lost(0), weighed(0, false), ...lost(1), weighed(1, true)];
    expect(cellStanding(memoryOf(...twice), 0, none)).toBe('done');
    expect(cellStanding(memoryOf(...twice), 0, RULES)).toBe('retry');
  });

  it('queues a cell again whose session was withdrawn or never queued', () => {
    const memory = memoryOf(intent(0), { type: 'cancelled', sessionId: 's0-0', reason: 'interrupted' });
    expect(cellStanding(memory, 0, RULES)).toBe('new');
  });

  it('never exceeds the window and never has two sessions of one cell, whatever happens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('success', 'error', 'failure', 'lost'), { maxLength: 60 }),
        (ends) => {
          let memory = new RunMemory(1);
          const live: string[] = [];
          for (const end of ends) {
            for (const position of nextAdmissions(memory, POSITIONS, RULES)) {
              expect(memory.sessionsOf(position).some(({ sessionId }) => live.includes(sessionId))).toBe(
                false,
              );
              const attempt = memory.sessionsOf(position).length;
              memory = memory.with([intent(position, attempt)]);
              live.push(`s${position}-${attempt}`);
            }
            expect(live.length).toBeLessThanOrEqual(RULES.queueWindow);
            const id = live.shift();
            if (id === undefined) break;
            if (end === 'lost') memory = memory.with([{ type: 'lost', sessionId: id, reason: '' }]);
            else memory = memory.with([collected(id, end as Collected['outcome'])]);
          }
          if (ends.length === 60) expect(isFinished(memory, POSITIONS, RULES)).toBe(true);
        },
      ),
    );
  });
});

describe('consecutiveErrors', () => {
  it('counts from the end back to the last episode that the host carried through', () => {
    const ends = ['error', 'success', 'error', 'lost', 'rejected'] as const;
    const events = ends.flatMap((outcome, at) => [intent(at), collected(`s${at}-0`, outcome)]);
    expect(consecutiveErrors(memoryOf(...events).judged())).toBe(2);
  });
});
