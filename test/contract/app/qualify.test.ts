import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { qualify } from '../../../src/app/qualify.ts';
import { byCodeUnit } from '../../../src/base/stable-json.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { keptQualifications } from '../../../src/job/runs/keep-qualification.ts';
import { scanRuns } from '../../../src/job/runs/scan-runs.ts';
import { type Qualification, qualificationSchema } from '../../../src/model/qualification.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function start(options: HostOptions = {}): Promise<Host> {
  host = await startHost({ watchdog: { pollMs: 10 }, ...options });
  return host;
}

/** Qualifies on the host; the error when it was refused, and what the host keeps in either case. */
async function qualified(on: Host, more: readonly string[] = []) {
  const call = await called(['qualify', '--workspace', on.workspace, '--suite', 'libero_spatial', ...more]);
  const error = await qualify(call.verb).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error !== null && !(error instanceof RbError)) throw error;
  const folder = path.join(on.workspace, 'artifacts/rollout-bench/.host/qualifications');
  const names = (await readdir(folder).catch(() => [])).toSorted(byCodeUnit);
  const kept = await Promise.all(
    names.map(async (name) =>
      qualificationSchema.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8'))),
    ),
  );
  return { error, kept, last: kept.at(-1), printed: call.printed(), log: call.log };
}

const states = (made: Qualification | undefined) =>
  Object.fromEntries(
    (made?.controls ?? []).map(({ name, state, observed }) => [name, `${state}: ${observed}`]),
  );

function expectVerdictPrinted(printed: string, id: string): void {
  expect(printed).toContain('QUALIFIED');
  expect(printed).toContain('no policy under test used');
  expect(printed).toContain('no positive control');
  expect(printed).toContain(`kept in artifacts/rollout-bench/${id} of the workspace`);
  expect(printed).not.toContain('nothing spent');
}

/** The list of runs shows the qualification, with the seals of its controls. */
async function expectListedWithControls(on: Host, made: Qualification | undefined): Promise<void> {
  const { runs } = await scanRuns(on.workspace);
  expect(runs).toMatchObject([{ runId: made?.id, attempts: [], qualification: 'passed' }]);
  const sealedControls = made?.controls.map(({ name, manifestSha256 }) => ({ name, manifestSha256 }));
  expect(runs[0]?.controls?.map(({ name, manifestSha256 }) => ({ name, manifestSha256 }))).toEqual(
    sealedControls?.toSorted((left, right) => byCodeUnit(left.name, right.name)),
  );
}

/** Each control left a bundle that verifies; whoever names the folder of them all instead is told so. */
async function expectOneBundleForEachControl(on: Host, id: string): Promise<void> {
  const folder = path.join(on.workspace, 'artifacts/rollout-bench', id);
  await expect(verifyBundle(folder)).rejects.toThrow('of a qualification, the folder of a control');
  for (const name of ['no-motion', 'random', 'liar', 'wrong-width', 'too-slow'])
    expect(await verifyBundle(path.join(folder, name))).toEqual([]);
}

const DAMAGES = [
  'episode.json missing',
  'episode.json cut off',
  'success null in every source',
  'result and episode disagree',
  'another cell ran',
  'a session counted twice',
  'journal cut off',
  'a byte flipped after sealing',
];

/** Real evidence was damaged in every way, and the ordinary code noticed each. */
function expectDamageNoticed(mutants: Qualification['mutants']): void {
  expect(mutants.map(({ name, ok, applied }) => [name, ok, applied])).toEqual(
    ['untouched copy', ...DAMAGES].map((name) => [name, true, true]),
  );
  const [untouched, ...damaged] = mutants;
  expect(untouched?.observed).toBe('verified; verdict FAIL');
  // A verdict that a damaged copy still has must not read as if the damage had passed.
  for (const { observed } of damaged)
    expect(observed).toMatch(/^verify refuses it \(.*\); what is left says: /);
}

describe('qualify on the embedded host', () => {
  it('runs every control on the real path, damages what came of it, and leaves the queue as it was', async () => {
    const on = await start();
    const { error, last, printed } = await qualified(on);
    expect(error).toBeNull();
    expect(states(last)).toEqual({
      'no-motion': 'ok: 2 failure',
      random: 'ok: 2 failure; FAIL by the gate',
      liar: 'ok: 1 failure',
      'wrong-width': 'ok: 1 error (ADAPTER)',
      'too-slow': 'ok: 1 timed_out (EXECUTION_TIMEOUT)',
    });
    expect(last).toMatchObject({
      qualified: true,
      positiveControl: null,
      skipped: [],
      policyUnderTestUsed: false,
    });
    expectVerdictPrinted(printed, last?.id ?? '');
    // The policy under test was never asked.
    expect(on.policies[0]?.prompts).toEqual([]);
    expect(await leftOversIn(on.workspace)).toEqual([]);
    await expectListedWithControls(on, last);
    await expectOneBundleForEachControl(on, last?.id ?? '');
    expectDamageNoticed(last?.mutants ?? []);
    const still = last?.phases.find(({ name }) => name === 'no-motion');
    expect(still).toMatchObject({ episodes: 2, simulatorSteps: 440, stepsUnknown: 0 });
  });

  it('keeps nothing for later runs when it is cancelled before it could tell anything', async () => {
    const on = await start();
    const cancelled = new AbortController();
    const call = await called(['qualify', '--workspace', on.workspace, '--suite', 'libero_spatial']);
    const log = Object.assign(Object.create(call.log), {
      info: (text: string) => {
        if (text.startsWith('no-motion ok')) cancelled.abort(new Error('cancelled'));
      },
    });
    const ended = await qualify({ ...call.verb, log, signal: cancelled.signal }).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({
      exitCode: 4,
      problems: expect.arrayContaining([expect.objectContaining({ code: 'RB631' })]),
    });
    const { kept } = await keptQualifications(on.workspace);
    expect(kept).toEqual([]);
    const { runs } = await scanRuns(on.workspace);
    expect(runs.map(({ qualification }) => qualification)).toEqual(['not passed']);
  });

  it('takes an expert as positive control', async () => {
    const on = await start({ policies: [{ mode: { kind: 'bad', skill: 1 } }] });
    const { error, last } = await qualified(on, ['--expert-endpoint', on.policyEndpoint]);
    expect(error).toBeNull();
    expect(last).toMatchObject({ positiveControl: 'expert', qualified: true });
    expect(states(last).expert).toBe('ok: 2 success; PASS by the gate');
  });

  it('is not fooled by an expert that is none', async () => {
    const on = await start({ policies: [{ mode: { kind: 'bad', skill: 0 } }] });
    const { error, last } = await qualified(on, ['--expert-endpoint', on.policyEndpoint]);
    expect(error).toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB630', where: 'control expert of libero_spatial' }],
    });
    expect(last).toMatchObject({ qualified: false, positiveControl: null });
  });

  it('refuses a simulator whose outcomes do not depend on the policy', async () => {
    const { error, last } = await qualified(await start({ rule: { kind: 'stub' } }));
    expect(last?.qualified).toBe(false);
    expect(error).toMatchObject({ exitCode: 3 });
    const wrong = error?.problems.map(({ code, where }) => `${code} ${where}`);
    expect(wrong).toContain('RB630 control no-motion of libero_spatial');
    expect(wrong).toContain('RB630 control liar of libero_spatial');
  });

  it('names controls that did not run, and qualifies nothing then', async () => {
    const on = await start();
    await on.killTarget();
    const { error, last } = await qualified(on, ['--tasks', '0']);
    // Without the target nothing can be discovered: nothing was queued and nothing is kept.
    expect(error).toMatchObject({ exitCode: 3, problems: [{ code: 'RB320' }] });
    expect(last).toBeUndefined();
    await on.reviveTarget();
    on.target.faults.errors.set('target.reset', { pythonName: 'RuntimeError', message: 'no display' });
    const broken = await qualified(on);
    expect(broken.error).toMatchObject({ exitCode: 4 });
    expect(broken.last?.skipped).toContain('no-motion');
    expect(broken.last?.qualified).toBe(false);
    expect(broken.error?.problems[0]).toMatchObject({ code: 'RB631' });
  });
});
