import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doctor } from '../../../src/app/doctor.ts';
import { inventory } from '../../../src/app/inventory.ts';
import { run } from '../../../src/app/run.ts';
import { status } from '../../../src/app/status.ts';
import { stableJson } from '../../../src/base/stable-json.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { controlFaults, qualificationFaults } from '../../../src/job/authorize/recheck-qualification.ts';
import { keptQualifications } from '../../../src/job/runs/keep-qualification.ts';
import type { Verb } from '../../../src/job/verb.ts';
import type { Qualification } from '../../../src/model/qualification.ts';
import { called, qualified } from './verb-context.ts';

let host: Host;
let made: Qualification;
beforeAll(async () => {
  host = await startHost({
    policies: [{ mode: { kind: 'bad', skill: 1 }, metadata: { model: 'pi' } }],
    watchdog: { pollMs: 10 },
  });
  expect(await qualified(host.workspace, 'libero_spatial', ['--min-success-rate', '50%'])).toBe(0);
  const [only] = (await keptQualifications(host.workspace)).kept;
  if (only === undefined) throw new Error('no qualification was kept');
  made = only;
}, 60_000);
afterAll(() => host.stop());

const folder = () => path.join(host.workspace, 'artifacts/rollout-bench', made.id);
const places = () => [
  path.join(folder(), 'qualification.json'),
  path.join(folder(), '..', '.host', 'qualifications', `${made.id}.json`),
];
const faultsOf = (claim: Qualification) => qualificationFaults(host.workspace, claim, {});

/** What is said of a claim that was written to both places where it is kept. */
async function rewritten(claim: Qualification): Promise<string> {
  const [beside = ''] = places();
  await writeFile(beside, stableJson(claim));
  const faults = await faultsOf(claim);
  await writeFile(beside, stableJson(made));
  return faults.join('\n');
}

const misbehaved = (): Qualification => ({
  ...made,
  controls: made.controls.map((control) =>
    control.name === 'random' ? { ...control, state: 'misbehaved', observed: '2 success' } : control,
  ),
});

it('bears out a claim that nobody touched', async () => {
  expect(await faultsOf(made)).toEqual([]);
});

it('finds each part of a claim that was changed in one place or in both', async () => {
  expect(await faultsOf(misbehaved())).toEqual([expect.stringContaining('not the one beside its evidence')]);
  expect(await rewritten(misbehaved())).toContain('its controls follow from other evidence');
  expect(await rewritten({ ...made, controls: [] })).toContain('its controls follow from other evidence');
  expect(await rewritten({ ...made, mutants: made.mutants.slice(1) })).toContain('its mutants follow');
  expect(await rewritten({ ...made, gate: 0.9 })).toContain('of another gate');
  expect(await rewritten({ ...made, bound: { ...made.bound, suite: 'libero_goal' } })).toContain(
    'of another suite',
  );
  const later = new Date(Date.parse(made.qualifiedAt) + 30 * 86_400_000).toISOString();
  expect(await rewritten({ ...made, qualifiedAt: later })).toContain(`it is dated ${later}`);
});

it('finds evidence that was changed, is gone, or is not spoken of', async () => {
  const journal = path.join(folder(), 'random', 'journal.jsonl');
  const sound = await readFile(journal, 'utf8');
  await writeFile(journal, sound.replace('failure', 'success'));
  expect((await faultsOf(made)).join()).toContain('not what was sealed');
  await writeFile(journal, sound);

  await rename(path.join(folder(), 'liar'), path.join(folder(), 'expert'));
  expect(await faultsOf(made)).toEqual(['the evidence of liar is gone']);
  await rename(path.join(folder(), 'expert'), path.join(folder(), 'liar'));
  expect(await faultsOf(made)).toEqual([]);
});

/** What a verb prints about the whole workspace. */
async function printed(verb: Verb, name: string, ...more: readonly string[]): Promise<string> {
  const call = await called([name, '--workspace', host.workspace, ...more]);
  await verb(call.verb);
  return call.printed();
}

it('is told by status, doctor and a deep inventory as a run would take it', async () => {
  const pair = ['--target', made.bound.target, '--suite', 'libero_spatial', '--purpose', 'release'];
  const good = 'its controls were judged again, its damaged evidence was not checked';
  expect(await printed(status, 'status')).toContain(good);
  expect(await printed(doctor, 'doctor', ...pair)).toContain(good);
  expect(await printed(inventory, 'inventory', '--deep')).toContain(
    `${made.id}  qualification, passed, 5 controls, sound\n`,
  );
  const journal = path.join(folder(), 'random', 'journal.jsonl');
  const sound = await readFile(journal, 'utf8');
  await writeFile(journal, sound.replace('failure', 'success'));
  const changed = /does not count as qualified: .* is not what its own evidence says/;
  expect(await printed(status, 'status')).toMatch(changed);
  expect(await printed(status, 'status')).not.toMatch(/qualified .* by this version/);
  const told = await printed(doctor, 'doctor', ...pair);
  expect(told).toMatch(changed);
  expect(told).toMatch(/^STOPS {2}RB447/m);
  expect(JSON.parse(await printed(status, 'status', '--json'))).toMatchObject({
    qualifications: [
      {
        checked: 'controls',
        faults: expect.arrayContaining([expect.stringContaining('not what was sealed')]),
      },
    ],
  });
  expect(await printed(inventory, 'inventory')).toContain(`${made.id}  qualification, passed, 5 controls\n`);
  expect(await printed(inventory, 'inventory', '--deep')).toMatch(
    /5 controls, NOT what was sealed: random, NOT what its own evidence says: /,
  );
  await writeFile(journal, sound);
});

it('is not taken for another one by its name', async () => {
  const copy = path.join(folder(), '..', `${made.id}-copy`);
  await cp(folder(), copy, { recursive: true });
  expect(await printed(inventory, 'inventory')).toContain(`${made.id}-copy  qualification, unreadable`);
  await rm(copy, { recursive: true });
  // A claim that speaks of less damage than is done is none, and that needs no damage to be seen.
  const [beside = ''] = places();
  for (const mutants of [[], made.mutants.slice(1), [...made.mutants, ...made.mutants]]) {
    const claim = { ...made, mutants };
    await writeFile(beside, stableJson(claim));
    expect((await controlFaults(host.workspace, claim)).join()).toContain('its mutants follow');
  }
  await writeFile(beside, stableJson(made));
});

it('refuses a release that would rely on it, and lets any other run go on without it', async () => {
  for (const place of places()) await writeFile(place, stableJson(misbehaved()));
  const line = (purpose: string) => [
    ...['run', '--workspace', host.workspace, '--suite', 'libero_spatial', '--purpose', purpose, '--json'],
    ...['--policy-endpoint', host.policyEndpoint, '--tasks', '0', '--init-states', '0'],
    ...['--min-success-rate', '50%'],
  ];
  const refused = await run((await called(line('release'))).verb).catch((error: unknown) => error);
  expect(refused).toMatchObject({ exitCode: 3, problems: [{ code: 'RB447' }] });
  expect(host.policies[0]?.prompts).toEqual([]);
  const other = await called(line('schedule'));
  expect(await run(other.verb)).toBe(0);
  expect(JSON.parse(other.printed())).toMatchObject({ 'evidence-grade': 'exploratory' });
  expect(other.log.lines.join('\n')).toContain('RB447');
  for (const place of places()) await writeFile(place, stableJson(made));
});
