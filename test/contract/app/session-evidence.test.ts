import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { runBenchmark } from '../../../src/job/measure/run-benchmark.ts';
import { runContext } from '../../../src/platform/run-context.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function measured({ workspace }: Host, ...more: readonly string[]) {
  const tasksFile = path.join(workspace, 'tasks.yml');
  writeFileSync(tasksFile, 'smoke:\n  0: reach the end\n  1: reach it again\n');
  const { verb } = await called([
    'run',
    ...['--workspace', workspace, '--target', 'dummy_sim', '--suite', 'smoke', '--tasks-file', tasksFile],
    ...['--init-states', '0', '--max-steps', '20', '--policy-endpoint', 'dummy://local', ...more],
  ]);
  return runBenchmark({
    verb,
    run: runContext({}, {}),
    template: null,
    heldOut: null,
    foresee: null,
    onRun: () => undefined,
  });
}

it('unknown tasks and unproven evidence are told at once', async () => {
  host = await startHost({ rule: { kind: 'stub' } });
  const { verb } = await called([
    'run',
    ...['--workspace', host.workspace, '--target', 'dummy_sim', '--suite', 'smoke'],
    ...['--policy-endpoint', 'dummy://local'],
  ]);
  const running = runBenchmark({
    verb,
    run: runContext({}, {}),
    template: null,
    heldOut: null,
    foresee: null,
    onRun: () => undefined,
  });
  await expect(running).rejects.toMatchObject({ problems: [{ code: 'RB341' }, { code: 'RB362' }] });
}, 60_000);

it('a target that names no task is refused, and its cure measures it', async () => {
  host = await startHost({ rule: { kind: 'stub' } });
  await expect(measured(host)).rejects.toMatchObject({
    problems: [{ code: 'RB362', fix: expect.stringContaining('evidence: session') }],
  });
  expect(await leftOversIn(host.workspace)).toEqual([]);
  const { suites } = await measured(host, '--evidence', 'session');
  expect(suites.map(({ end }) => end.end)).toEqual(['complete']);
  expect(await leftOversIn(host.workspace)).toEqual([]);
}, 60_000);
