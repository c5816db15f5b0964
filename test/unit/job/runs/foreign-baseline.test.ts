import { describe, expect, it } from 'vitest';
import { foreignBaseline } from '../../../../src/job/runs/foreign-baseline.ts';

const evalInfo = {
  overall: { avg_sum_reward: 0.9, pc_success: 97.19999694824219, n_episodes: 500, eval_s: 12 },
};
const olderInfo = {
  per_episode: [{ success: true }, { success: false }],
  aggregated: { pc_success: 50, avg_sum_reward: 0.5 },
};

describe('a file that is no baseline', () => {
  it.each([
    [
      'eval_info.json',
      JSON.stringify(evalInfo, null, 2),
      'give its count of successes and episodes, `486/500`',
    ],
    [
      'eval_info.json',
      JSON.stringify(olderInfo),
      'LeRobot, which names no initial states; give its count of successes and episodes, `1/2`',
    ],
    ['x.json', JSON.stringify({ overall: { pc_success: 43.95, n_episodes: 10 } }), '`486/500`'],
    ['report.json', '{\n  "schema": "rollout-bench/report/1"\n}', 'it is report.json'],
    ['plan.json', '{"schema":"rollout-bench/plan/1"}', 'it is plan.json'],
    ['journal.jsonl', '{"schema":"rollout-bench/journal/1","seq":0}\n{"seq":1}\n', 'it is journal.jsonl'],
    ['results.json', '{"schema":"rollout-bench/results/9"}', 'results.json of another version'],
    ['bundle.tar.gz', '\u001f\ufffd', 'it is an archive'],
    ['episodes.csv', 'position,benchmark,suite,task_id\r\n', 'it is episodes.csv'],
    ['junit.xml', '<?xml version="1.0"?><testsuites/>', 'it is XML'],
    ['report.html', '<!DOCTYPE html>', 'it is a page'],
    ['report.md', '# LIBERO benchmark', 'it is a report in Markdown'],
    ['none.json', ' \n', 'it is empty'],
    ['x.json', '{"a": 1, "b": 2}', 'JSON of another kind (a, b)'],
    ['x.json', '[1, 2]', 'JSON of another kind'],
  ])('%s is named for what it is', (name, text, said) => {
    expect(foreignBaseline(name, text)).toContain(said);
  });

  it.each([
    ['episodes.jsonl', '{"taskId":0}'],
    ['episodes.jsonl', '{"taskId":0}\n{"taskId":1}\n'],
    ['notes.txt', 'hello'],
  ])('%s may still be one', (name, text) => expect(foreignBaseline(name, text)).toBeNull());
});
