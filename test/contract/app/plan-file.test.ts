import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plan } from '../../../src/app/plan.ts';
import { run } from '../../../src/app/run.ts';
import { WhyNot } from '../../../src/base/why-not.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { runFactsSchema } from '../../../src/model/run-facts.ts';
import { planFileText, plansIn } from '../../../src/plan/plan-file.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host;
let folder: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(tmpdir(), 'rollout-bench-plan-'));
  host = await startHost({ rule: { kind: 'stub' }, watchdog: { pollMs: 10 } });
});
afterEach(async () => {
  await host.stop();
  await fs.rm(folder, { recursive: true });
});

function command(verb: 'plan' | 'run', ...more: string[]): string[] {
  const where = ['--workspace', host.workspace, '--target', LIBERO_TARGET_ID];
  const what = ['--suite', 'libero_spatial', '--tasks', '0', '--init-states', '0'];
  return [verb, ...where, ...what, '--policy-endpoint', host.policyEndpoint, ...more];
}

async function plannedTo(file: string, ...more: string[]): Promise<string> {
  const { verb } = await called(command('plan', '--out', file, ...more));
  expect(await plan(verb)).toBe(0);
  return fs.readFile(file, 'utf8');
}

async function bundleFile(name: string): Promise<string> {
  const root = path.join(host.workspace, 'artifacts/rollout-bench');
  const [runId] = (await fs.readdir(root)).filter((entry) => !entry.startsWith('.'));
  return fs.readFile(path.join(root, runId ?? '', 'attempt-1', name), 'utf8');
}

describe('plan --out', () => {
  it('writes a new file and never over another one', async () => {
    const file = path.join(folder, 'new/plan.json');
    const text = await plannedTo(file);
    expect(plansIn(text)).toHaveLength(1);
    const { verb } = await called(command('plan', '--out', file, '--caps', 'sessions=9'));
    await expect(plan(verb)).rejects.toMatchObject({ exitCode: 2, problems: [{ code: 'RB112' }] });
    expect(await fs.readFile(file, 'utf8')).toBe(text);
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('shows pins with their source; --public keeps no path that somebody declared', async () => {
    const declared = ['--policy-ref', '/home/somebody/checkpoints/pi05'];
    const shown = await called(command('plan', '--public'));
    await plan(shown.verb);
    expect(shown.printed()).toMatch(/^ {2}target contract sha256 +[0-9a-f]{64}$/m);
    expect(shown.printed()).toMatch(/^ {2}candidate policy metadata +unknown$/m);
    expect(await plannedTo(path.join(folder, 'own.json'), ...declared)).toContain('/home/somebody');
    const open = await plannedTo(path.join(folder, 'open.json'), '--public', ...declared);
    expect(open).not.toContain('/home/somebody');
  });
});

describe('run --plan-file', () => {
  it('runs what was planned, and keeps pins in the bundle', async () => {
    const file = path.join(folder, 'plan.json');
    await plannedTo(file);
    const { verb } = await called(
      command('run', '--plan-file', file, '--digests', `checkpoint=sha256:${'a'.repeat(64)}`),
    );
    expect(await run(verb)).toBe(0);
    const { pins = [] } = runFactsSchema.parse(JSON.parse(await bundleFile('run.json')));
    const source = (name: string) => pins.find((pin) => pin.name === name)?.source;
    expect(source('candidate checkpoint digest')).toBe('declared');
    expect(source('candidate policy metadata')).toBe('observed');
    expect(source('candidate image digest')).toBe('unknown');
    expect(plansIn(await bundleFile('plan.json'))).toEqual(plansIn(await fs.readFile(file, 'utf8')));
  });

  it('refuses what is not observed as it was planned, by field, unless that is accepted', async () => {
    const file = path.join(folder, 'plan.json');
    const runtimeMd = path.join(host.workspace, 'RUNTIME.md');
    await plannedTo(file);
    await fs.appendFile(runtimeMd, 'one more line\n');
    // An adversary's edit that the inputs do not show.
    const pinned = JSON.parse(await fs.readFile(file, 'utf8'));
    for (const pin of pinned[0].pins) if (pin.name === 'simulator') pin.value = 'another simulator';
    await fs.writeFile(file, JSON.stringify(pinned));
    const refused = async (...more: string[]) => {
      const { verb } = await called(command('run', '--plan-file', file, ...more));
      const error = await run(verb).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ exitCode: 3 });
      return String(error);
    };
    const both = await refused();
    expect(both).toMatch(/RB434 .*RUNTIME\.md sha256 was .*accept-pins: runtime/);
    expect(both).toMatch(/RB434 .*simulator was "another simulator", now .*accept-pins: simulator/);
    expect(await refused('--accept-pins', 'runtime')).not.toContain('RUNTIME.md');
    expect(await refused('--accept-pins', 'simulator,dist')).not.toContain('simulator was');
    expect(await leftOversIn(host.workspace)).toEqual([]);
    const { verb, log } = await called(
      command('run', '--plan-file', file, '--accept-pins', 'runtime,simulator'),
    );
    expect(await run(verb)).toBe(0);
    expect(log.lines.join('\n')).toContain('accepted by accept-pins: runtime');
    const { warnings } = runFactsSchema.parse(JSON.parse(await bundleFile('run.json')));
    expect(warnings.join('\n')).toContain('accepted by accept-pins: simulator');
  });

  it('takes no name that is no pin', async () => {
    await expect(called(command('run', '--accept-pins', 'everything'))).rejects.toThrow(/RB102.*contract/);
  });

  it('refuses anything else before it queues, naming what differs', async () => {
    const file = path.join(folder, 'plan.json');
    await plannedTo(file);
    const { verb } = await called(
      command('run', '--plan-file', file, '--max-steps', '210', '--retry-errors', '2'),
    );
    await expect(run(verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [
        { code: 'RB339', message: 'max-steps was 220, now 210.' },
        { code: 'RB339', message: 'max-policy-calls was 220, now 210.' },
        { code: 'RB339', message: 'retry-errors was 1, now 2.' },
      ],
    });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('tells of a file that is of no use before a session makes the server take another suite over', async () => {
    const file = path.join(folder, 'plan.json');
    await plannedTo(file);
    for (const [named, refusal] of [
      [path.join(folder, 'gone.json'), { exitCode: 3, problems: [{ code: 'RB219' }] }],
      [file, { exitCode: 2, problems: [{ code: 'RB338', message: 'it holds no plan of libero_object.' }] }],
    ] as const) {
      const argv = command('run', '--plan-file', named).map((word) =>
        word === 'libero_spatial' ? 'libero_object' : word,
      );
      const { verb } = await called(argv);
      await expect(run(verb)).rejects.toMatchObject(refusal);
    }
    await expect(fs.access(path.join(host.workspace, 'LOG.md'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('refuses a plan that was edited by hand, and one of another suite', async () => {
    const plans = plansIn(await plannedTo(path.join(folder, 'plan.json')));
    const made = plans instanceof WhyNot ? undefined : plans[0];
    if (made === undefined) throw new Error('no plan');
    const files = {
      edited: planFileText([{ plan: made, pins: [] }]).replace('"retryErrors": 1', '"retryErrors": 0'),
      other: planFileText([{ plan: { ...made, suite: 'libero_object' }, pins: [] }]),
    };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name);
      await fs.writeFile(file, text);
      const { verb } = await called(command('run', '--plan-file', file));
      await expect(run(verb), name).rejects.toMatchObject({ exitCode: 2, problems: [{ code: 'RB338' }] });
    }
  });
});
