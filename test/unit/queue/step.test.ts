import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLedger } from '../../../src/lane/ledger.ts';
import { cellTargets } from '../../../src/queue/cell-target.ts';
import type { EditSessions } from '../../../src/queue/machine/commands.ts';
import { cellAt } from '../../../src/queue/machine/entries.ts';
import type { ExecutionEnd } from '../../../src/queue/machine/job.ts';
import { RunMemory } from '../../../src/queue/machine/run-memory.ts';
import { beginning, type State } from '../../../src/queue/machine/state.ts';
import { step } from '../../../src/queue/machine/step.ts';
import { queue } from './queue-views.ts';
import { Chance, cellOf } from './simulated-host.ts';
import { BASE, FULL_DISK, jobOf, SimulatedRun, type Stop, smallPlan } from './simulated-run.ts';

const PLAN = smallPlan(4);
const JOB = jobOf(PLAN, 1);
const TARGETS = cellTargets(BASE, PLAN, JOB.positions);

const chances = fc.array(fc.nat({ max: 9999 }), { minLength: 50, maxLength: 400 });
/** How attempts end before the one that comes to its end. */
const stops = (...how: readonly Stop['how'][]) =>
  fc.array(fc.record({ after: fc.integer({ min: 1, max: 150 }), how: fc.constantFrom(...how) }), {
    maxLength: 6,
  });

const RUNS = { numRuns: 60 };

/** Attempt after attempt, until one comes to its end in peace. */
async function untilComplete(run: SimulatedRun, stopped: readonly Stop[], mischief: () => void) {
  const { host } = run;
  for (const stop of stopped) {
    const between = (): void => {
      host.live();
      mischief();
    };
    // A run that knows of no session yet, or cannot write its last line, can only say that it was refused.
    const end = await run.attempt(stop, between).catch((error: unknown) => {
      if (error !== FULL_DISK) throw error;
    });
    // The watchdog and the others go on without us.
    for (let moves = stop.after % 7; moves > 0; moves -= 1) host.live();
    if (end?.end === 'complete' && end.warnings.length === 0) return end;
  }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    host.isDown = false;
    const end = await run.attempt(null, () => {
      host.nowMs += 20;
      host.moveWatchdog();
    });
    if (end?.end === 'complete') return end;
  }
  throw new Error('it is not complete');
}

/** What a watchdog ran to its end is known, and counts as what it was; no cell ran again that had its outcome. */
function expectNothingLost({ host }: SimulatedRun, end: ExecutionEnd): void {
  const judged = new Map(end.sessions.map(({ sessionId, judgement }) => [sessionId, judgement?.outcome]));
  for (const { id, outcome } of host.ran) expect([id, judged.get(id)]).toEqual([id, outcome]);
  const valid = host.ran.filter(({ outcome }) => outcome !== 'error').map(({ id }) => cellOf(id));
  expect(new Set(valid).size).toBe(valid.length);
}

function expectNothingLeft({ host }: SimulatedRun): void {
  expect(host.entries.filter(({ id }) => id.startsWith('rb-'))).toEqual([]);
  expect([...host.targets.keys()]).toEqual([]);
  // A session that is over may still be in the ledger, for the sweep of another run to strike out.
  expect([...foldLedger(host.ledger).cellTargets.keys()]).toEqual([]);
}

describe('an execution on a host of others', () => {
  it('goes on after being killed at any command: nothing finished is lost, nothing is queued twice', async () => {
    await fc.assert(
      fc.asyncProperty(chances, stops('killed'), async (numbers, stopped) => {
        const run = new SimulatedRun(new Chance(numbers), PLAN);
        const end = await untilComplete(run, stopped, () => undefined);
        expectNothingLost(run, end);
        expectNothingLeft(run);
        expect(end.sessions.filter(({ judgement }) => judgement?.outcome === 'lost')).toEqual([]);
      }),
      RUNS,
    );
  });

  it('ends with all that is finished when it is interrupted, or the host refuses any command', async () => {
    await fc.assert(
      fc.asyncProperty(chances, stops('interrupted', 'refused'), async (numbers, stopped) => {
        const run = new SimulatedRun(new Chance(numbers), PLAN);
        const end = await untilComplete(run, stopped, () => undefined);
        expectNothingLost(run, end);
        expectNothingLeft(run);
      }),
      RUNS,
    );
  });

  it('lends the host between two episodes, killed at any command or not, and counts no time of others', async () => {
    let times = 0;
    await fc.assert(
      fc.asyncProperty(chances, stops('killed', 'interrupted'), async (numbers, stopped) => {
        const chance = new Chance(numbers);
        const run = new SimulatedRun(chance, PLAN);
        const end = await untilComplete(run, stopped, () => {
          run.isWanted ||= chance.oneIn(10);
        });
        expectNothingLost(run, end);
        expectNothingLeft(run);
        times += run.lent.times;
        const events = run.attempts.flatMap(({ records }) => records.map(({ event }) => event.type));
        expect(events.filter((type) => type === 'regained').length).toBeLessThanOrEqual(run.lent.times);
      }),
      RUNS,
    );
    expect(times).toBeGreaterThan(20);
  });

  it('lends the host to one after the other, with an episode in between', async () => {
    const run = new SimulatedRun(new Chance([1, 2, 3, 5, 7, 11, 13]), PLAN);
    const began = run.host.nowMs;
    const end = await run.attempt(null, () => {
      run.isWanted = true;
      run.host.live();
    });
    const events = run.attempts[0]?.records.map(({ event }) => event) ?? [];
    const course = events
      .map(({ type }) => type)
      .filter((type) => ['yielded', 'regained', 'collected'].includes(type));
    // At least one episode before each time the host is lent; the last one has nothing after it to wait for.
    for (const [at, type] of course.entries()) {
      if (type === 'yielded') expect([course[at - 1], course[at + 1]]).toEqual(['collected', 'regained']);
    }
    const { times, ms } = run.lent;
    expect(times).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ type: 'ended', end: 'complete', yields: times, yieldedMs: ms });
    expect(end?.waits.yieldedMs).toBe(ms);
    // What the host lived on while the last line was written is beyond the end.
    const beyond = run.host.nowMs - began - ms - (end?.waits.totalMs ?? 0);
    expect(beyond).toBeGreaterThanOrEqual(0);
    expect(beyond).toBeLessThan(5_000);
  });

  it('keeps what is finished, and what is not its own, whatever others do to it', async () => {
    await fc.assert(
      fc.asyncProperty(chances, stops('killed', 'interrupted', 'refused'), async (numbers, stopped) => {
        const chance = new Chance(numbers);
        const run = new SimulatedRun(chance, PLAN);
        const mischief = () => {
          if (chance.oneIn(30)) run.host.interfere();
        };
        const end = await untilComplete(run, stopped, mischief);
        expectNothingLost(run, end);
        expectNothingLeft(run);
      }),
      RUNS,
    );
  });
});

describe('a cell target whose session is not in the queue any more', () => {
  const [position, target] = [...TARGETS][0] ?? [];
  if (position === undefined || target === undefined) throw new Error('no cell');
  const sessionId = 'rb-s';
  const place = { sessionId, position, sessionAttempt: 0, cellTarget: target.id };
  const intent = { type: 'intent', ...place, cell: cellAt(JOB, position) } as const;
  const announced: State = {
    ...beginning(JOB, TARGETS, 0),
    memory: new RunMemory(1).with([intent]),
    standingTargets: new Map([[target.id, { contractRef: target.contractRef, withdrawn: null }]]),
  };
  const now = { ms: 1_000, interrupted: false };

  /** Stays for as long as a watchdog may hold a document that had its session. */
  function expectToStay({ state, commands }: ReturnType<typeof step>, last: string): void {
    const [write] = commands;
    expect(write).toMatchObject({ type: 'journal', events: [{ type: last, sessionId }] });
    const events = write?.type === 'journal' ? write.events : [];
    const over = step(state, { type: 'written', journal: events, ledger: [] }, now).state;
    const later = (ms: number) => step({ ...over, next: 'last_targets' }, { type: 'idle' }, { ...now, ms });
    expect(later(5_000).commands).toEqual([]);
    expect(later(13_000).commands[0]).toMatchObject({ type: 'edit_targets', edit: { remove: [target?.id] } });
  }

  it('stays when it was announced and has no entry: somebody may have taken it out', () => {
    const looked = step(
      announced,
      { type: 'looked', snapshot: queue(), window: null, wanted: null, answers: null },
      now,
    );
    expectToStay(step({ ...looked.state, next: 'follow' }, { type: 'idle' }, now), 'discarded');
  });

  it('stays when we took it out ourselves', () => {
    const queued = { ...announced, memory: announced.memory.with([{ type: 'queued', sessionId }]) };
    const command: EditSessions = {
      type: 'edit_sessions',
      edit: { append: [], remove: [{ id: sessionId, when: 'pending' }] },
      purpose: { for: 'withdraw', on: 'end', reason: 'a halt' },
      timeoutMs: null,
      slowestTransitionMs: 0,
    };
    const edited = { removals: new Map([[sessionId, 'removed'] as const]), bytes: 100, waitedMs: 0 };
    expectToStay(step(queued, { type: 'edited', command, edited }, now), 'cancelled');
  });
});
