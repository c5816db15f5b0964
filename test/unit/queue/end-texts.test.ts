import { describe, expect, it } from 'vitest';
import { cellTargets } from '../../../src/queue/cell-target.ts';
import { cellAt } from '../../../src/queue/machine/entries.ts';
import { conclude, sayStopping } from '../../../src/queue/machine/finish.ts';
import { follow } from '../../../src/queue/machine/follow.ts';
import { RunMemory } from '../../../src/queue/machine/run-memory.ts';
import { beginning, type Decision, type State } from '../../../src/queue/machine/state.ts';
import { entry } from './queue-views.ts';
import { BASE, jobOf, smallPlan } from './simulated-run.ts';

const PLAN = smallPlan(2);
const JOB = jobOf(PLAN, 1);
const TARGETS = cellTargets(BASE, PLAN, JOB.positions);
const START = beginning(JOB, TARGETS, 0);
const NOW = { ms: 1_000, interrupted: true };

const said = ({ commands = [] }: Decision): string =>
  commands.flatMap((command) => (command.type === 'say' ? [command.text] : [])).join('\n');

describe('what is said at the end of a run', () => {
  it.each([
    ['nothing has moved for 300 s; is the watchdog running?', 'running? What is finished'],
    ['the run was interrupted', 'was interrupted. What is finished'],
    ['it said so.', 'said so. What is finished'],
  ])('keeps the end of the reason: %s', (reason, expected) => {
    expect(said(sayStopping({ ...START, halt: { end: 'incomplete', reason } }))).toContain(expected);
  });

  it('names clean for cell targets that an interrupted run leaves', () => {
    const targets = [...TARGETS.values()].slice(0, 2);
    const standingTargets = new Map(
      targets.map(({ id, contractRef }) => [id, { contractRef, withdrawn: null }] as const),
    );
    const halt = { end: 'interrupted', reason: 'the run was interrupted' } as const;
    const left: State = { ...START, halt, standingTargets };
    expect(said(conclude(left, NOW))).toMatch(/^2 cell targets are still in TARGETS\.md; .*`clean`/);
    expect(said(conclude({ ...left, standingTargets: new Map() }, NOW))).toBe('');
  });

  it('does not say that an entry runs which a dead watchdog had claimed', () => {
    const [position, target] = [...TARGETS][0] ?? [];
    if (position === undefined || target === undefined) throw new Error('no cell');
    const place = { sessionId: 'rb-s', position, sessionAttempt: 0, cellTarget: target.id };
    const memory = new RunMemory(1).with([{ type: 'intent', ...place, cell: cellAt(JOB, position) }]);
    const [session] = memory.open();
    if (session === undefined) throw new Error('no session');
    const findings = [{ kind: 'returned', session, entry: entry('rb-s', 'claimed') } as const];
    const text = said(follow({ ...START, memory, findings }, NOW));
    expect(text).toContain('is back as claimed');
    expect(text).not.toContain('runs');
  });
});
