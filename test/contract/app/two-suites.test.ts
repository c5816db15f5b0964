import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { runBenchmark } from '../../../src/job/measure/run-benchmark.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { runContext } from '../../../src/platform/run-context.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

/** The command line of a run of one cell of each suite. */
function oneCell({ workspace, policyEndpoint }: Host, suites: string, ...more: readonly string[]): string[] {
  return [
    'run',
    ...['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', suites],
    ...['--tasks', '0', '--init-states', '0', '--policy-endpoint', policyEndpoint],
    ...more,
  ];
}

describe('a suite that the server does not have', () => {
  it('is refused, and the server is left with the suite it had', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const had = host.target.runtime.config.benchmark_name;
    const { workspace } = host;
    const { verb } = await called(oneCell(host, 'libero_moon', '--max-steps', '220'));
    const request = {
      verb,
      run: runContext({}, {}),
      template: null,
      heldOut: null,
      foresee: null,
      onRun: () => undefined,
    };
    await expect(runBenchmark(request)).rejects.toMatchObject({
      problems: [
        {
          code: 'RB407',
          fix: expect.stringContaining('libero_spatial, libero_object, libero_goal, libero_10, libero_90'),
        },
      ],
    });
    expect(host.target.runtime.config.benchmark_name).toBe(had);
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('does not keep the next run from its suite when somebody else asked for it', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    host.target.runtime.config.benchmark_name = 'libero_moon';
    const { verb } = await called(oneCell(host, 'libero_spatial'));
    const benchmark = await runBenchmark({
      verb,
      run: runContext({}, {}),
      template: null,
      heldOut: null,
      foresee: null,
      onRun: () => undefined,
    });
    expect(benchmark.suites.map(({ end }) => end.end)).toEqual(['complete']);
  });
});

describe('a run of two suites', () => {
  it('is shown to others by the id that each of its runs has', async () => {
    const shown = new Set<string>();
    host = await startHost({
      rule: { kind: 'stub' },
      onTransition: (id, status) => {
        if (status !== 'running' || id.includes('-primer-')) return;
        const holder: unknown = JSON.parse(readFileSync(hostFolder(host?.workspace ?? '').holder, 'utf8'));
        shown.add(String(holder !== null && typeof holder === 'object' && 'runId' in holder && holder.runId));
      },
    });
    const { verb } = await called(oneCell(host, 'libero_spatial,libero_object'));
    const request = {
      verb,
      run: runContext({}, {}),
      template: null,
      heldOut: null,
      foresee: null,
      onRun: () => undefined,
    };
    const benchmark = await runBenchmark(request);
    expect(benchmark.suites).toHaveLength(2);
    expect([...shown]).toEqual(benchmark.suites.map(({ runId }) => runId));
  }, 60_000);

  it('keeps the first when the second cannot be measured', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace } = host;
    const suites = 'libero_spatial,libero_moon';
    const { verb, log } = await called(oneCell(host, suites, '--max-steps', '220'));
    const benchmark = await runBenchmark({
      verb,
      run: runContext({}, {}),
      template: null,
      heldOut: null,
      foresee: null,
      onRun: () => undefined,
    });
    expect(benchmark.suites.map(({ suite, end }) => [suite, end.end])).toEqual([
      ['libero_spatial', 'complete'],
    ]);
    expect(benchmark.notBegun).toEqual(['libero_moon']);
    expect(log.lines.join('\n')).toContain('libero_moon could not be measured');
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});
