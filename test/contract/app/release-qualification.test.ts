import { appendFileSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { sha256Of } from '../../../src/base/sha256.ts';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { qualificationSchema } from '../../../src/model/qualification.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { followedIn } from './advice.ts';
import { called, qualified } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const DAY_MS = 86_400_000;

async function start(): Promise<Host> {
  host = await startHost({
    policies: [{ mode: { kind: 'bad', skill: 1 }, metadata: { model: 'pi', checkpoint: 'v2' } }],
    watchdog: { pollMs: 10 },
  });
  return host;
}

/** A release of four cells; `laterMs` is by how much the clock has moved on since. */
async function release(on: Host, purpose = 'release', laterMs = 0, suite = 'libero_spatial') {
  const call = await called([
    'run',
    ...['--workspace', on.workspace, '--suite', suite, '--purpose', purpose, '--json'],
    ...['--policy-endpoint', on.policyEndpoint, '--policy-wait', '5', '--min-success-rate', '50%'],
    ...['--tasks', '0-1', '--init-states', '0-1'],
  ]);
  const { clock } = call.verb;
  const later = { ...clock, now: () => clock.now() + laterMs };
  const exitCode = await run({ ...call.verb, clock: later }).catch((error: unknown) => error);
  const outputs: Record<string, string> = typeof exitCode === 'number' ? JSON.parse(call.printed()) : {};
  return { exitCode, outputs, bundle: outputs['bundle-path'] ?? '' };
}

/** Adds a space to the first archived episode.json of an ordinary run; null as long as there is none. */
function spaceAfterFirstEpisode(workspace: string): string | null {
  const runs = path.join(workspace, 'artifacts/rollout-bench');
  const [first] = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /attempt-1\/raw\/rb-[^/]+\/episode\.json$/.test(name),
  );
  if (first === undefined) return null;
  appendFileSync(path.join(runs, first), ' ');
  return first;
}

async function qualifyOn(on: Host): Promise<void> {
  expect(await qualified(on.workspace, 'libero_spatial', ['--min-success-rate', '50%'])).toBe(0);
}

const jsonIn = async (folder: string, name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(folder, name), 'utf8'));

describe('a release', () => {
  it('is refused without a fresh qualification, and carried by one', async () => {
    const on = await start();
    const first = await release(on);
    expect(first.exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB371' }] });
    // Nothing was queued: no session of the policy under test ever began.
    expect(on.policies[0]?.prompts).toEqual([]);
    expect(await leftOversIn(on.workspace)).toEqual([]);

    // What the refusal says works as it stands.
    expect(await followedIn(String(first.exitCode))).toMatchObject({ exitCode: 0 });
    const second = await release(on);
    expect(second.outputs).toMatchObject({ verdict: 'PASS', 'evidence-grade': 'qualified' });
    expect(second.exitCode).toBe(0);
    expect(await verifyBundle(second.bundle)).toEqual([]);
    const kept = qualificationSchema.parse(await jsonIn(second.bundle, 'qualification.json'));
    const { run: facts } = resultsSchema.parse(await jsonIn(second.bundle, 'results.json'));
    expect(facts.qualification).toMatchObject({ id: kept.id, positiveControl: null });
    const markdown = await readFile(
      path.join(second.bundle, `BENCHMARK_REPORT_libero_spatial_${facts.runId}.md`),
      'utf8',
    );
    expect(markdown).toContain('qualified');
    expect(markdown).toContain('no positive control');

    await redactedHolds(on, second.bundle);
    await forgedIsNoticed(second.bundle);

    const old = await release(on, 'release', 8 * DAY_MS);
    expect(old.exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB373' }] });
    const contract = path.join(on.workspace, 'configs/runtime/contracts/libero_real.runtime.yaml');
    await writeFile(contract, (await readFile(contract, 'utf8')).replace('control_hz: 20', 'control_hz: 10'));
    const changed = await release(on);
    expect(changed.exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB372' }] });
    expect(String(changed.exitCode)).toContain("the target's contract is another one");
    expect(await leftOversIn(on.workspace)).toEqual([]);
  });

  it('is INVALID when somebody writes to what it archived: what it sealed does not verify', async () => {
    let edited: string | null = null;
    host = await startHost({
      policies: [{ mode: { kind: 'bad', skill: 1 }, metadata: { model: 'pi', checkpoint: 'v2' } }],
      watchdog: { pollMs: 10 },
      onTransition: () => {
        edited ??= spaceAfterFirstEpisode(on.workspace);
      },
    });
    const on = host;
    await qualifyOn(on);
    const { exitCode, outputs, bundle } = await release(on);
    expect(edited).not.toBeNull();
    expect(await verifyBundle(bundle)).not.toEqual([]);
    // Every episode succeeded: without a look at the bundle it would have been a PASS.
    expect(outputs).toMatchObject({ verdict: 'INVALID', 'success-rate': '1' });
    expect(outputs.reasons).toContain('bundle_not_verified');
    expect(exitCode).not.toBe(0);
  });

  it('of several suites is refused before any of them is measured or the server made to take one over', async () => {
    const on = await start();
    await qualifyOn(on);
    const before = await readFile(path.join(on.workspace, 'LOG.md'), 'utf8');
    const refused = await release(on, 'release', 0, 'libero_spatial,libero_object,libero_goal');
    expect(refused.exitCode).toMatchObject({
      exitCode: 3,
      problems: [
        { code: 'RB371', where: 'release of libero_object' },
        { code: 'RB371', where: 'release of libero_goal' },
      ],
    });
    expect(await readFile(path.join(on.workspace, 'LOG.md'), 'utf8')).toBe(before);
  });

  it('is all that asks for it: any other run goes on and says what it is', async () => {
    const on = await start();
    const { exitCode, outputs, bundle } = await release(on, 'schedule');
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'PASS', 'evidence-grade': 'exploratory' });
    // Nothing of it is in the bundle: such bundles are what they were.
    expect(JSON.stringify(await jsonIn(bundle, 'run.json'))).not.toContain('qualification');
  });
});

/** The copy for publishing is a bundle of its own that still names its own qualification. */
async function redactedHolds(on: Host, sealedDir: string): Promise<void> {
  const outDir = path.join(on.workspace, 'redacted');
  await redactBundle({
    sealedDir,
    outDir,
    template: null,
    secrets: [],
    // A word of the file itself, so that the copy is another file.
    hidden: ['every episode a failure'],
  });
  expect(await verifyBundle(outDir)).toEqual([]);
  const [sealed, copy] = await Promise.all(
    [sealedDir, outDir].map((folder) => readFile(path.join(folder, 'qualification.json'), 'utf8')),
  );
  expect(copy).not.toBe(sealed);
  // Not even a hash: of the few addresses there can be it would be found.
  expect(qualificationSchema.parse(JSON.parse(sealed ?? '')).bound.targetEndpointSha256).not.toBeNull();
  expect(qualificationSchema.parse(JSON.parse(copy ?? '')).bound.targetEndpointSha256).toBeNull();
}

/**
 * Others put in the place of the one the run relied on, each with a run.json and a manifest that agree with it: only what
 * they say can give them away.
 */
async function forgedIsNoticed(bundle: string): Promise<void> {
  const forged: readonly (readonly [string, string, string])[] = [
    ['"qualified": true', '"qualified": false', 'did not pass'],
    ['"state": "ok"', '"state": "misbehaved"', 'claims to have passed, but no-motion misbehaved'],
    ['"skipped": []', '"skipped": ["liar"]', 'parts of it are missing'],
    ['"target": "', '"target": "x-', 'it is of the target x-'],
    ['"harness": "rollout-bench"', '"harness": "another"', 'fingerprint differs in harness'],
    ['"version": "', '"version": "9', 'it is of the version of Rollout Bench 9'],
  ];
  const [file, facts] = [path.join(bundle, 'qualification.json'), path.join(bundle, 'run.json')];
  const [sound, run] = await Promise.all([file, facts].map((name) => readFile(name, 'utf8')));
  for (const [before, after, expected] of forged) {
    const text = (sound ?? '').replace(before, after);
    expect(text, before).not.toBe(sound);
    await writeFile(file, text);
    await writeFile(facts, (run ?? '').replace(sha256Of(sound ?? ''), sha256Of(text)));
    const found = (await verifyBundle(bundle)).filter(({ kind }) => kind === 'qualification');
    expect(found.map(({ message }) => message).join('\n')).toContain(expected);
  }
  const late = (sound ?? '').replace(/"qualifiedAt": "20/, '"qualifiedAt": "21');
  await writeFile(file, late);
  const other = (run ?? '').replace(sha256Of(sound ?? ''), sha256Of(late));
  await writeFile(facts, other.replace(/"qualifiedAt": "20/, '"qualifiedAt": "21'));
  const [found] = (await verifyBundle(bundle)).filter(({ kind }) => kind === 'qualification');
  expect(found?.message).toContain('after the run that relied on it');
  await writeFile(file, sound ?? '');
  await writeFile(facts, run ?? '');
  expect(await verifyBundle(bundle)).toEqual([]);
}
