import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../../../src/model/run-facts.ts';
import { renderMarkdown } from '../../../../src/report/markdown.ts';
import { reportPage } from '../../../../src/report/page/report-page.ts';
import { contentionOf } from '../../../../src/report/view/contention.ts';
import { reportView } from '../../../../src/report/view/report-view.ts';
import { makeRecord } from '../../results/record-builder.ts';
import { makeReportInput } from '../report-builder.ts';

const gpu = (...processes: readonly string[]) => ({
  name: 'RTX 4090',
  driver: '570',
  memoryFreeMib: 1,
  processes,
});
const SHARED = [gpu('python', 'python', 'train<b>')];

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
    ['the facts have another form', { host: { gpus: [{ name: 1 }], shards: 'x' } }],
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
