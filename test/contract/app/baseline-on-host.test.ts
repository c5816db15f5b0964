import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { doctor } from '../../../src/app/doctor.ts';
import { plan } from '../../../src/app/plan.ts';
import { run } from '../../../src/app/run.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

const SMALL = { '--suite': 'libero_spatial', '--tasks': '0-1', '--init-states': '0-2' };

/** A small plan; what is given takes the place of its parts. */
function smallPlan(more: readonly string[]): readonly string[] {
  return [
    ...Object.entries(SMALL).flatMap(([name, value]) => (more.includes(name) ? [] : [name, value])),
    ...more,
  ];
}

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function measured(on: Host, more: readonly string[]) {
  const call = await called([
    'run',
    ...['--workspace', on.workspace],
    ...['--policy-endpoint', on.policies[0]?.endpoint ?? '', '--policy-wait', '1', '--json'],
    ...smallPlan(more),
  ]);
  const exitCode = await run(call.verb);
  const outputs: Record<string, string> = JSON.parse(call.printed());
  return { exitCode, outputs };
}

async function planned(on: Host, more: readonly string[]) {
  const call = await called(['plan', '--workspace', on.workspace, ...smallPlan(more)]);
  return plan(call.verb);
}

/** What `doctor` finds fatal, thrown like a refusal. */
async function examined(on: Host, more: readonly string[]) {
  const line = ['doctor', '--workspace', on.workspace, '--json', ...more];
  const call = await called(line, { PATH: process.env['PATH'] ?? '' });
  await doctor(call.verb);
  const { problems } = JSON.parse(call.printed());
  throw { problems: problems.filter(({ severity }: { severity: string }) => severity === 'fatal') };
}

describe('a baseline that could only end INVALID', () => {
  it('is refused by run and plan before anything is queued, with what to change', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const { outputs } = await measured(host, []);
    const before = (await readdir(path.join(host.workspace, 'artifacts', 'rollout-bench'))).sort();
    const bundle = outputs['bundle-path'] ?? '';
    // Partly other cells of a run that may stop early, whose design counts every pair.
    const more = ['--init-states', '0-5', '--baseline', bundle, '--early-stop', 'true'];
    const fewer = {
      exitCode: 2,
      problems: [
        {
          code: 'RB641',
          message: expect.stringContaining('holds 6 of the 12 planned cells'),
          fix: expect.stringContaining('tasks 0-1, init-states 0-2'),
        },
      ],
    };
    await expect(measured(host, more)).rejects.toMatchObject(fewer);
    await expect(planned(host, more)).rejects.toMatchObject(fewer);
    const slower = ['--max-steps', '7', '--baseline', path.join(bundle, 'results.json')];
    await expect(measured(host, slower)).rejects.toMatchObject({
      problems: [{ code: 'RB641', message: expect.stringContaining('differs in max_steps') }],
    });
    const other = ['--suite', 'libero_goal', '--baseline', bundle];
    for (const verb of [measured, planned, examined])
      await expect(verb(host, other)).rejects.toMatchObject({
        problems: [{ code: 'RB640', message: expect.stringContaining('of suite libero_spatial') }],
      });
    expect((await readdir(path.join(host.workspace, 'artifacts', 'rollout-bench'))).sort()).toEqual(before);
  });

  it('is called what it is when it is another file', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const file = path.join(host.workspace, 'eval_info.json');
    await writeFile(file, JSON.stringify({ overall: { pc_success: 97.2, n_episodes: 500 } }));
    for (const verb of [measured, planned, examined])
      await expect(verb(host, ['--baseline', file])).rejects.toMatchObject({
        problems: [{ code: 'RB612', message: expect.stringContaining('eval_info.json of LeRobot') }],
      });
  });
});

describe('a run that extends the suite of its baseline', () => {
  it('is compared over the cells of both, with floors over all of them, and says so in every report', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const first = await measured(host, []);
    const more = ['--init-states', '0-5', '--tasks', '0-2', '--min-success-rate', '10%'];
    const { outputs } = await measured(host, [...more, '--baseline', first.outputs['run-id'] ?? '']);
    expect(outputs).toMatchObject({ verdict: 'INCONCLUSIVE', planned: '18', regressed: '0' });
    const bundle = outputs['bundle-path'] ?? '';
    expect(await verifyBundle(bundle)).toEqual([]);
    const page = await readFile(path.join(`${bundle}.report`, 'report.html'), 'utf8');
    expect(page).toContain('over the 6 of 18 cells that both have');
    const document = JSON.parse(await readFile(path.join(`${bundle}.report`, 'report.json'), 'utf8'));
    const { warnings, reasons } = document.suites[0];
    expect(warnings).toContainEqual({
      code: 'cells_added',
      text: expect.stringMatching(
        /^12 of 18 planned cells are new: .* was not asked for task 2, initial states 3-5\./,
      ),
    });
    expect(reasons.map(({ code }: { code: string }) => code)).toEqual(
      expect.arrayContaining(['floor_reached', 'cannot_tell']),
    );
  });
});

describe('a baseline named by the id of a run of this host', () => {
  it('is compared pair by pair with the newest sealed attempt of that run', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const first = await measured(host, []);
    host.policies[0]?.setMode({ kind: 'bad', skill: 0 });
    const second = await measured(host, ['--baseline', first.outputs['run-id'] ?? '']);
    expect(second.outputs).toMatchObject({ verdict: 'FAIL', regressed: first.outputs['successes'] });
    expect(second.exitCode).toBe(1);
    const bundle = second.outputs['bundle-path'] ?? '';
    const page = (folder: string) => readFile(path.join(folder, 'report.html'), 'utf8');
    expect(await page(`${bundle}.report`)).toMatch(/<title>FAIL · (?!.*Before the decision)/s);
    const sealed = await page(bundle);
    expect(sealed).toContain('<title>Before the decision: INCONCLUSIVE');
    expect(sealed).toMatch(/<body[^>]*>\s*<p class="before" role="note"><b>Before the decision\./);
    expect(await verifyBundle(bundle)).toEqual([]);
    expect(JSON.parse(await readFile(`${bundle}.report/report.json`, 'utf8'))).toMatchObject({
      verdict: 'FAIL',
    });
  });

  it('is refused before anything runs when no attempt of it is sealed, or nobody knows the id', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const { outputs } = await measured(host, []);
    await rm(path.join(outputs['bundle-path'] ?? '', 'manifest.json'));
    await expect(measured(host, ['--baseline', outputs['run-id'] ?? ''])).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB612', message: expect.stringContaining('attempt 1 is ended') }],
    });
    await expect(measured(host, ['--baseline', 'gh1-job-libero_spatial'])).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB612', message: expect.stringContaining('no run of this host') }],
    });
  });
});
