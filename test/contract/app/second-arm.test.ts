import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { report } from '../../../src/app/report.ts';
import { run } from '../../../src/app/run.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { planSchema } from '../../../src/model/plan.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function start(policies: NonNullable<HostOptions['policies']>): Promise<Host> {
  host = await startHost({ policies, watchdog: { pollMs: 10 } });
  return host;
}

const GOOD = { mode: { kind: 'good' }, metadata: { model: 'pi', checkpoint: 'base' } } as const;
const DEAD = { mode: { kind: 'bad', skill: 0 }, metadata: { model: 'pi', checkpoint: 'new' } } as const;

/** Runs both arms on the host; the first policy is the candidate, the second the baseline. */
async function runBoth(on: Host, more: readonly string[]) {
  const [candidate, baseline] = on.policies;
  const call = await called([
    'run',
    ...['--workspace', on.workspace, '--suite', 'libero_spatial', '--json'],
    ...['--policy-endpoint', candidate?.endpoint ?? '', '--baseline-endpoint', baseline?.endpoint ?? ''],
    ...['--policy-wait', '1', '--keep-sessions', 'no'],
    ...more,
  ]);
  const exitCode = await run(call.verb);
  const outputs: Record<string, string> = JSON.parse(call.printed());
  return { exitCode, outputs, bundle: outputs['bundle-path'] ?? '', log: call.log };
}

async function bundleOf(folder: string) {
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(folder, name), 'utf8'));
  return {
    plan: planSchema.parse(await json('plan.json')),
    results: resultsSchema.parse(await json('results.json')),
    journal: (await readJournal(folder)).records.map(({ event }) => event),
  };
}

describe('a second arm', () => {
  it('measures both policies on the same initial states and fails a worse candidate with paired figures', async () => {
    const on = await start([DEAD, GOOD]);
    const { exitCode, outputs, bundle } = await runBoth(on, ['--tasks', '0-3', '--init-states', '0-3']);
    expect(outputs).toMatchObject({ verdict: 'FAIL', regressed: '15', fixed: '0', planned: '16' });
    expect(exitCode).toBe(1);
    const { plan, results, journal } = await bundleOf(bundle);
    expect(plan).toMatchObject({ arms: ['candidate', 'baseline'], order: { scheme: 'abba' } });
    expect(plan.cells.length).toBe(32);
    expect(results.arms.map(({ arm, successRate }) => [arm, successRate.k, successRate.n])).toEqual([
      ['candidate', 0, 16],
      ['baseline', 15, 16],
    ]);
    // Each arm says who it was, before and after.
    expect(results.run.arms).toMatchObject([
      { arm: 'candidate', metadataBefore: DEAD.metadata, metadataAfter: DEAD.metadata, changed: null },
      { arm: 'baseline', metadataBefore: GOOD.metadata, metadataAfter: GOOD.metadata, changed: null },
    ]);
    // Half of the pairs begin with the baseline.
    const queued = journal.flatMap((event) => (event.type === 'intent' ? [event.cell.arm] : []));
    const first = queued.filter((_, index) => index % 2 === 0);
    expect(first.filter((arm) => arm === 'baseline').length).toBe(8);
    expect(await verifyBundle(bundle)).toEqual([]);
    // A report of the bundle alone comes to the same verdict.
    const again = await called(['report', bundle, '--json']);
    expect(await report(again.verb)).toBe(1);
    expect(JSON.parse(again.printed())).toMatchObject({ verdict: 'FAIL', regressed: '15', fixed: '0' });
    expect(await leftOversIn(on.workspace)).toEqual([]);
  });

  it('lets a run against it stop early, both arms of a pair before the next', async () => {
    const on = await start([DEAD, GOOD]);
    const { exitCode, outputs, bundle } = await runBoth(on, [
      '--tasks',
      '0-4',
      '--init-states',
      '0-5',
      '--early-stop',
      'true',
    ]);
    expect({ exitCode, verdict: outputs.verdict }).toEqual({ exitCode: 1, verdict: 'FAIL' });
    const { results } = await bundleOf(bundle);
    const stopped = results.earlyStop?.stopped;
    expect(stopped).toMatchObject({ decision: 'FAIL', planned: 30, cells: 60, fixed: 0 });
    // A collapse that is beyond doubt, before the second look.
    expect(stopped?.regressed).toBe(13);
    expect(stopped?.notRun).toBeGreaterThan(0.5 * 60);
    expect(results.arms.map(({ valid }) => valid)).toEqual([stopped?.prefix, stopped?.prefix]);
    expect(await verifyBundle(bundle)).toEqual([]);
  });

  it.each([
    ['the same metadata', (on: Host) => on.policies[1]?.endpoint ?? ''],
    ['the same endpoint', (on: Host) => on.policyEndpoint.replace('openpi://', 'policyws://')],
  ])('is refused when it has %s, before anything is queued', async (_, baselineOf) => {
    const on = await start([GOOD, GOOD]);
    const call = await called([
      'run',
      ...['--workspace', on.workspace, '--suite', 'libero_spatial', '--policy-wait', '1'],
      ...['--policy-endpoint', on.policyEndpoint, '--baseline-endpoint', baselineOf(on)],
    ]);
    const error = await run(call.verb).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(RbError);
    expect(error).toMatchObject({ exitCode: 3, problems: [{ code: 'RB353' }] });
    expect(await leftOversIn(on.workspace)).toEqual([]);
  });

  it('may be the same policy when that is the question', async () => {
    const on = await start([GOOD, GOOD]);
    const { outputs, bundle } = await runBoth(on, [
      '--tasks',
      '0-1',
      '--init-states',
      '0-2',
      '--baseline',
      'same',
    ]);
    expect(outputs).toMatchObject({ verdict: 'INCONCLUSIVE', regressed: '0', fixed: '0' });
    expect((await bundleOf(bundle)).plan.aaTest).toBe(true);
    // What two arms of one policy disagree on is rerun noise, and nobody is warned of it.
    const again = await called(['report', bundle]);
    expect(await report(again.verb)).toBe(0);
    expect(again.printed()).toContain('two runs of this policy disagree on: 0.0% of episodes (0/6');
    expect(again.printed()).not.toContain('same policy served twice');
  });
});
