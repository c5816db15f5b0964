import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../../../src/model/run-facts.ts';
import { renderMarkdown } from '../../../../src/report/markdown.ts';
import { reportPage } from '../../../../src/report/page/report-page.ts';
import { contentionOf } from '../../../../src/report/view/contention.ts';
import { reportView } from '../../../../src/report/view/report-view.ts';
import type { HostLoad } from '../../../../src/results/host-load.ts';
import { makeRecord } from '../../results/record-builder.ts';
import { makeReportInput } from '../report-builder.ts';

const gpu = (...processes: readonly string[]) => ({
  name: 'RTX 4090',
  driver: '570',
  memoryFreeMib: 1,
  processes,
});
const SHARED = [gpu('python', 'python', 'train<b>')];

const busy = (load: Partial<HostLoad>): HostLoad => ({
  cpus: 2,
  looks: 10,
  load1: { mean: 1, max: 1.9 },
  overloaded: 0,
  stealPercent: { mean: 0.5, max: 4 },
  stolen: 0,
  gpuProcesses: null,
  othersSessions: 0,
  samples: [],
  ...load,
});

function input({ host = {}, foreignMs = null }: { host?: RunFacts['host']; foreignMs?: number | null }) {
  const made = makeReportInput({
    records: [makeRecord(0, 'success', { policyLatencyMs: 40 })],
    run: { host },
  });
  const { results } = made;
  return { ...made, results: { ...results, time: { ...results.time, foreignMs } } };
}

describe('durations of a run', () => {
  it.each([
    ['nothing is known', {}],
    ['nobody else ran', { foreignMs: 0 }],
    ['the GPU has the simulator and the policy', { host: { gpus: [gpu('python', 'python')] } }],
    ['no tool tells about GPUs', { host: { gpus: null } }],
    ['the facts have another form', { host: { gpus: [{ name: 1 }], shards: 'x', load: 13 } }],
    ['there are CPUs enough, and little steal', { host: { load: busy({}) } }],
    ['one look of eleven saw more', { host: { load: busy({ looks: 11, overloaded: 1, stolen: 1 }) } }],
    ['the system tells nothing', { host: { load: busy({ load1: null, stealPercent: null }) } }],
  ])('are not called contended when %s', (_name, facts) => {
    const made = input(facts);
    expect(contentionOf(made.results)).toBeNull();
    expect(renderMarkdown(reportView(made))).not.toContain('contended');
  });

  it('are contended when sessions of others ran meanwhile', () => {
    expect(contentionOf(input({ foreignMs: 12_400 }).results)).toBe(
      'Durations contended; not a speed comparison: sessions of others ran for 12.4 s meanwhile.',
    );
  });

  it('are contended when more processes use a GPU than simulator and policies, on any shard', () => {
    const said =
      'Durations contended; not a speed comparison: GPU shared (3 processes on RTX 4090, simulator and policies are 2).';
    expect(contentionOf(input({ host: { gpus: SHARED } }).results)).toBe(said);
    const shards = [{ gpus: [gpu('python')] }, { gpus: null }, { gpus: SHARED }];
    expect(contentionOf(input({ host: { shards } }).results)).toBe(said);
  });

  it.each([
    [
      { load1: { mean: 12.1, max: 13 }, overloaded: 10 },
      'more tasks than CPUs in 10 of 10 looks (load up to 13 on 2)',
    ],
    [
      { stealPercent: { mean: 9, max: 31.5 }, stolen: 1 },
      'other machines took CPU time in 1 of 10 looks (up to 31.5 %)',
    ],
    [{ gpuProcesses: 3 }, 'GPU shared (up to 3 processes, simulator and policies are 2)'],
  ])('are contended when a look at the host saw it: %j', (load, cause) => {
    const said = `Durations contended; not a speed comparison: ${cause}.`;
    expect(contentionOf(input({ host: { load: busy(load) } }).results)).toBe(said);
    const shards = [{ load: busy({}) }, { load: busy(load) }];
    expect(contentionOf(input({ host: { shards } }).results)).toBe(said);
    expect(renderMarkdown(reportView(input({ host: { load: busy(load) } })))).toContain(cause.split(' (')[0]);
  });

  it('are shown with how busy the host was, also where it was quiet', () => {
    const load = busy({ gpuProcesses: 2, othersSessions: 1 });
    const view = reportView(input({ host: { load } }));
    const line =
      'load 1 on average, 1.9 at most, on 2 CPUs; steal 4 % at most; 2 processes on a GPU at most; 1 sessions of others at most; 10 looks';
    expect(view.time.filter(({ label }) => label === 'Host while measuring')).toMatchObject([
      { value: line },
    ]);
    expect(JSON.stringify(view.reproducibility)).not.toContain('load');
    expect(reportView(input({})).time.some(({ label }) => label === 'Host while measuring')).toBe(false);
    const unknown = reportView(input({ host: { load: busy({ load1: null, stealPercent: null }) } }));
    expect(JSON.stringify(unknown.time)).toContain('load unknown, on 2 CPUs; steal unknown');
  });

  it('say so below every table that shows them, and beside the latency of short texts', () => {
    const view = reportView(input({ foreignMs: 5_000, host: { gpus: SHARED } }));
    const markdown = renderMarkdown(view);
    const footnote =
      /Durations contended; not a speed comparison: sessions of others ran for 5\.0 s meanwhile; GPU shared/g;
    expect(markdown.match(footnote)).toHaveLength(2);
    const [, metrics = '', time = ''] =
      /## Metrics: candidate([\s\S]*?)\nTime:([\s\S]*?)\n## /.exec(markdown) ?? [];
    expect(metrics.trimEnd().split('\n').at(-1)).toMatch(footnote);
    expect(time.trimEnd().split('\n').at(-1)).toMatch(footnote);
    expect(view.headlines[0]).toContain('ms (means of episodes; contended)');
  });

  it('say so on the page, escaped', () => {
    expect(reportPage(input({}))).not.toContain('Durations contended');
    const gpus = [{ name: 'RTX <b>', processes: ['a', 'b', 'c'] }];
    const page = reportPage(input({ host: { gpus } }));
    expect(page.match(/Durations contended; not a speed comparison: GPU shared/g)).toHaveLength(2);
    expect(page).not.toContain('RTX <b>');
  });
});
