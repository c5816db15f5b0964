import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLedger } from '../../../src/lane/ledger.ts';
import type { ExecutionEnd } from '../../../src/queue/machine/job.ts';
import { Chance, cellOf } from './simulated-host.ts';
import { SimulatedRun, smallPlan } from './simulated-run.ts';

const PLAN = smallPlan(4);

const chances = fc.array(fc.nat({ max: 9999 }), { minLength: 50, maxLength: 400 });
/** After how many commands each attempt but the last is killed. */
const kills = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 6 });

const RUNS = { numRuns: 60 };

/** Attempt after attempt, until one comes to its end in peace. */
async function untilComplete(run: SimulatedRun, killsAt: readonly number[], mischief: () => void) {
  const { host } = run;
  for (const killedAfter of killsAt) {
    const end = await run.attempt(killedAfter, () => {
      host.live();
      mischief();
    });
    // The watchdog and the others go on without us.
    for (let moves = killedAfter % 7; moves > 0; moves -= 1) host.live();
    if (end?.end === 'complete') return end;
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
      fc.asyncProperty(chances, kills, async (numbers, killsAt) => {
        const run = new SimulatedRun(new Chance(numbers), PLAN);
        const end = await untilComplete(run, killsAt, () => undefined);
        expectNothingLost(run, end);
        expectNothingLeft(run);
        expect(end.sessions.filter(({ judgement }) => judgement?.outcome === 'lost')).toEqual([]);
      }),
      RUNS,
    );
  });

  it('keeps what is finished, and what is not its own, whatever others do to it', async () => {
    await fc.assert(
      fc.asyncProperty(chances, kills, async (numbers, killsAt) => {
        const chance = new Chance(numbers);
        const run = new SimulatedRun(chance, PLAN);
        const mischief = () => {
          if (chance.oneIn(30)) run.host.interfere();
        };
        const end = await untilComplete(run, killsAt, mischief);
        expectNothingLost(run, end);
        expectNothingLeft(run);
      }),
      RUNS,
    );
  });
});
