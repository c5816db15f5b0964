import { describe, expect, it } from 'vitest';
import { cellTargets } from '../../../src/queue/cell-target.ts';
import { cellAt } from '../../../src/queue/machine/entries.ts';
import { askWhyQuiet, explain } from '../../../src/queue/machine/explain.ts';
import { RunMemory } from '../../../src/queue/machine/run-memory.ts';
import { beginning, type State } from '../../../src/queue/machine/state.ts';
import { step } from '../../../src/queue/machine/step.ts';
import { waitingTold } from '../../../src/queue/progress.ts';
import { entry, queue } from './queue-views.ts';
import { BASE, jobOf, smallPlan } from './simulated-run.ts';

const PLAN = smallPlan(2);
const JOB = jobOf(PLAN, 1);
const TARGETS = cellTargets(BASE, PLAN, JOB.positions);
const FULL = 'the disk is full (0 kB free)';

/** A watchdog moved our session to this status at 0 and has not been heard of since. */
function left(status: string): State {
  const [position, target] = [...TARGETS][0] ?? [];
  if (position === undefined || target === undefined) throw new Error('no cell');
  const place = { sessionId: 'rb-s', position, sessionAttempt: 0, cellTarget: target.id };
  const working = entry('rb-s', status, { updatedMs: 0 });
  return {
    ...beginning(JOB, TARGETS, 0),
    memory: new RunMemory(1).with([{ type: 'intent', ...place, cell: cellAt(JOB, position) }]),
    view: { snapshot: queue(working), working, workingIsOurs: true, window: null, wanted: null },
  };
}

const at = (ms: number) => ({ ms, interrupted: false });

describe('a disk that is full while a session of ours is at work', () => {
  it.each(['claimed', 'running', 'finalizing'])('is named within half a minute: %s', (status) => {
    const isTold = waitingTold();
    let state = left(status);
    const told: string[] = [];
    for (let ms = 0; ms <= 30_000; ms += 1_000) {
      const { change = {}, commands = [] } = askWhyQuiet(state, at(ms));
      state = { ...state, ...change };
      for (const command of commands) {
        expect(command).toEqual({ type: 'diagnose', of: 'disk' });
        state = step(state, { type: 'diagnosed', answer: FULL }, at(ms)).state;
      }
      const situation = explain(state, at(ms));
      if (isTold(situation, 0, ms)) told.push(situation.text);
    }
    expect(told[0]).toContain(FULL);
  });

  it('is not asked for while the session moves, and the documents only when it is overdue', () => {
    expect(askWhyQuiet(left('running'), at(5_000)).commands ?? []).toEqual([]);
    const late = left('running');
    const overdue = {
      ...late,
      memory: late.memory.with([
        { type: 'running', sessionId: 'rb-s', updatedAt: new Date(0).toISOString() },
      ]),
    };
    const asked = { ...overdue, ...askWhyQuiet(overdue, at(20_000)).change };
    expect(asked.meters.diagnosis.of).toBe('disk');
    const limit = JOB.settings.sessionTimeoutMs;
    expect(askWhyQuiet(asked, at(limit + 1)).commands).toEqual([{ type: 'diagnose', of: 'all' }]);
  });
});
