import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelIndexText } from '../../../src/report/exports/model-index.ts';
import { wandbText } from '../../../src/report/exports/wandb.ts';
import { makeRecord } from '../results/record-builder.ts';
import { makeReportInput } from './report-builder.ts';

const RECORDS = [
  makeRecord(0, 'success'),
  makeRecord(1, 'failure'),
  makeRecord(2, 'success', { taskId: 1, language: 'another' }),
  makeRecord(3, 'not_run', { taskId: 2, language: 'third' }),
];
const { results } = makeReportInput({ records: RECORDS });
const NONE = makeReportInput({ records: [makeRecord(0, 'error')] }).results;
const [LOW, HIGH] = [results.arms[0]?.successRate.low ?? -1, results.arms[0]?.successRate.high ?? -1];

describe('what Weights & Biases gets', () => {
  it('is numbers by suite and task, with what is not known left out', () => {
    const { config, log } = JSON.parse(wandbText(results));
    expect(config).toMatchObject({ suite: 'libero_spatial', run_id: results.run.runId });
    expect(log).toEqual({
      'libero_spatial/successes': 2,
      'libero_spatial/valid': 3,
      'libero_spatial/planned': 4,
      'libero_spatial/success_rate': 2 / 3,
      'libero_spatial/success_rate_low': LOW,
      'libero_spatial/success_rate_high': HIGH,
      ...rates('libero_spatial/task_0', 1, 2),
      ...rates('libero_spatial/task_1', 1, 1),
      'libero_spatial/task_2/successes': 0,
      'libero_spatial/task_2/valid': 0,
    });
    expect(Object.values(JSON.parse(wandbText(NONE)).log).every((value) => typeof value === 'number')).toBe(
      true,
    );
  });
});

function rates(place: string, k: number, n: number) {
  const task = results.arms[0]?.tasks.find(({ successRate }) => successRate.k === k && successRate.n === n);
  return {
    [`${place}/successes`]: k,
    [`${place}/valid`]: n,
    [`${place}/success_rate`]: k / n,
    [`${place}/success_rate_low`]: task?.successRate.low,
    [`${place}/success_rate_high`]: task?.successRate.high,
  };
}

describe('the model-index of a model card', () => {
  it('has rate, counts and interval of the candidate', () => {
    const text = modelIndexText(results, 'PASS');
    expect(parse(text)['model-index'][0]).toMatchObject({
      results: [
        {
          task: { type: 'robotics' },
          dataset: { type: 'libero_spatial', name: 'libero_spatial' },
          metrics: [
            {
              type: 'success_rate',
              name: 'Success rate 66.7% (2/3), Wilson 95 % interval 20.8–93.9',
              value: 2 / 3,
              args: { successes: 2, episodes: 3, planned: 4, interval_low: LOW, interval_high: HIGH },
            },
          ],
        },
      ],
    });
    expect(text.split('\n')[0]).toContain('PASS');
  });

  it('has no result without a valid episode', () => {
    expect(parse(modelIndexText(NONE, 'INVALID'))).toEqual({ 'model-index': [] });
  });

  it.each(['a: b # c', '"q" \\ \u2028', '- x\ny: 1', "it's", '!!js', '\ud800'])(
    'says %j as text',
    (policyRef) => {
      const { run } = results;
      const [arm] = run.arms.length > 0 ? run.arms : [];
      const named = { ...results, run: { ...run, arms: arm === undefined ? [] : [{ ...arm, policyRef }] } };
      const [{ name }] = parse(modelIndexText(named, 'PASS'))['model-index'];
      expect(typeof name).toBe('string');
      expect(Object.keys(parse(modelIndexText(named, 'PASS')))).toEqual(['model-index']);
    },
  );
});
