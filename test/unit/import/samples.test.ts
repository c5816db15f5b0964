import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { walkFolder } from '../../../src/files/walk.ts';
import { IMPORTERS } from '../../../src/import/registry.ts';
import { ROOT } from '../meta/source-files.ts';
import { countsOf, rates, readSample } from './read-sample.ts';

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const vlaFile = (episodes: readonly object[], more: object = {}): string =>
  JSON.stringify({
    benchmark: 'LIBEROBenchmark',
    harness_version: '0.2.0',
    tasks: [{ task: 'open the drawer', episodes }],
    config: { params: { suite: 'libero_goal' } },
    ...more,
  });

describe('samples of every format', () => {
  it('each file is known to one importer and to no other', () => {
    const root = join(ROOT, 'fixtures/foreign');
    for (const name of walkFolder(root).files) {
      const text = readFileSync(join(root, name), 'utf8').slice(0, 64 * 1024);
      const knowing = IMPORTERS.filter(
        (importer) => importer.detect({ name, text }) || importer.claims?.(name) === true,
      );
      expect([name, knowing.length]).toEqual([name, 1]);
    }
  });

  it.each([
    ['vla-eval-0.2', 'vla-eval', { success: 4, failure: 1, error: 1, not_run: 0 }],
    ['vla-eval-0.2-shards', 'vla-eval', { success: 3, failure: 1, error: 0, not_run: 2 }],
    ['vla-eval-0.4', 'vla-eval', { success: 4, failure: 1, error: 1, not_run: 0 }],
    ['starvla-openpi', 'starvla', { success: 9, failure: 1, error: 0, not_run: 0 }],
    ['starvla-robocasa365', 'starvla', { success: 3, failure: 2, error: 0, not_run: 0 }],
    ['libero-plus', 'libero-plus', { success: 58, failure: 12, error: 0, not_run: 0 }],
    ['paos-sweep', 'phyagentos', { success: 2, failure: 1, error: 1, not_run: 0 }],
    ['csv', 'csv', { success: 2, failure: 1, error: 1, not_run: 0, timed_out: 1 }],
    ['junit', 'junit', { success: 2, failure: 1, error: 1, not_run: 1 }],
    // Of the budget of 50 one is pending, and 45 were never begun.
    ['tri-lbm', 'tri', { success: 2, failure: 1, error: 1, not_run: 46 }],
  ])('%s gives its counts', async (name, format, expected) => {
    const { format: found, records, problems } = await readSample(name);
    expect(problems).toEqual([]);
    expect(found).toBe(format);
    const zeros = { success: 0, failure: 0, error: 0, not_run: 0 };
    expect({ ...zeros, ...countsOf(records) }).toEqual(expected);
  });
});

describe('vla-eval', () => {
  it('errors stay errors, and its own rate stands beside ours with the reason', async () => {
    const { imported, records, suites } = await readSample('vla-eval-0.2');
    expect(imported.figures).toEqual([
      {
        name: 'mean_success',
        suite: null,
        told: '66.67%',
        counted: '4/5 = 80.0%',
        why: 'it counts 1 episode that ended in an error as failed',
      },
    ]);
    expect(records.find(({ outcome }) => outcome === 'error')).toMatchObject({
      errorCode: 'CONNECTION_CLOSED',
      steps: null,
      success: null,
    });
    expect(suites[0]?.facts.planned).toContain('2 tasks with 3 episodes each');
    expect(suites[0]?.fingerprint).toMatchObject({
      harness: 'vla-eval',
      runtime_version: '0.2.0',
      env_seed: 7,
    });
  });

  it('a shard that is missing is named, and what it had to do is not run', async () => {
    const { imported } = await readSample('vla-eval-0.2-shards');
    expect(imported.notes).toEqual(['Of 3 shards 1 are missing: 2.']);
  });

  it('an episode in two files is refused, and so are files of two runs', async () => {
    const one = { episode_id: 0, metrics: { success: true } };
    const twice = await readSample(folderOf({ 'a.json': vlaFile([one]), 'b.json': `${vlaFile([one])} ` }));
    expect(twice.problems).toMatchObject([{ code: 'RB903' }]);
    const seeds = {
      'a.json': vlaFile([one], { seed: 7 }),
      'b.json': vlaFile([{ ...one, episode_id: 1 }], { seed: 8 }),
    };
    const two = await readSample(folderOf(seeds));
    expect(two.problems).toMatchObject([{ code: 'RB902', message: expect.stringContaining('seed is 8') }]);
  });

  it('a benchmark with other metrics has no success rate', async () => {
    const other = vlaFile([{ episode_id: 0, metrics: { completed_subtasks: 3 } }]);
    const { problems } = await readSample(folderOf({ 'a.json': other }));
    expect(problems).toMatchObject([
      { code: 'RB902', message: expect.stringContaining('completed_subtasks') },
    ]);
  });

  it('numbers beyond the states of LIBERO are further runs of them', async () => {
    const episodes = [0, 49, 50].map((episode_id) => ({ episode_id, metrics: { success: true } }));
    const { records } = await readSample(folderOf({ 'a.json': vlaFile(episodes) }));
    expect(records.map(({ initStateId, runIndex }) => [initStateId, runIndex])).toEqual([
      [0, 0],
      [0, 1],
      [49, 0],
    ]);
  });
});

describe('TRI', () => {
  it('skills in both spellings are one task, and scenarios tell the episodes', async () => {
    const { records } = await readSample('tri-lbm');
    expect(new Set(records.map(({ language }) => language))).toEqual(new Set(['put_cup_on_saucer']));
    const ran = records.filter(({ outcome }) => outcome !== 'not_run');
    expect(ran.map(({ initStateId, cellsBy }) => [initStateId, cellsBy])).toEqual(
      [100, 101, 103, 104].map((scenario) => [scenario, 'scenario']),
    );
  });

  it('another budget, another model and a scenario without a number are refused', async () => {
    const file = (budget: number, evaluation: object): string =>
      JSON.stringify({ max_sample_size_per_model: budget, evaluations: [evaluation] });
    const one = { skill_type: 'push', scenario_index: 1, is_success: true };
    const at = (model: string, time: string): string => `${model}/Push/rollouts/${time}/results.json`;
    const budgets = await readSample(
      folderOf({ [at('m', '1')]: file(5, one), [at('m', '2')]: file(6, { ...one, scenario_index: 2 }) }),
    );
    expect(budgets.problems).toMatchObject([{ message: expect.stringContaining('budget is 6') }]);
    const models = await readSample(
      folderOf({ [at('m', '1')]: file(5, one), [at('n', '1')]: file(5, { ...one, scenario_index: 2 }) }),
    );
    expect(models.problems).toMatchObject([{ message: expect.stringContaining('model n') }]);
    const none = await readSample(
      folderOf({ 'results.json': file(5, { skill_type: 'push', is_success: true }) }),
    );
    expect(none.problems).toMatchObject([
      { code: 'RB902', message: expect.stringContaining('scenario_index') },
    ]);
  });
});

describe('counts without episodes', () => {
  it('starVLA: tasks of one language overwrite each other, which its totals show', async () => {
    const text = JSON.stringify({
      task_suite: 'libero_90',
      total_episodes: 20,
      per_task: { 'close the drawer': { success: 5, total: 10 } },
    });
    const { imported, records } = await readSample(folderOf({ 'r.json': text }));
    expect(imported.figures).toMatchObject([
      { told: '20', counted: '10', why: expect.stringContaining('overwrite') },
    ]);
    expect(records[0]?.cellsBy).toBe('count');
  });

  it('starVLA: counts by language', async () => {
    const { records, suites } = await readSample('starvla-openpi');
    expect(suites[0]?.plan.suite).toBe('libero_goal');
    expect(Object.values(rates(records)).toSorted()).toEqual(['4/5', '5/5']);
  });

  it('LIBERO-plus: the sum of all files counts nothing twice', async () => {
    const suite = JSON.stringify({ Camera: { total_count: 4, success_count: 3 } });
    const { imported, records } = await readSample(
      folderOf({ 'libero_goal.json': suite, 'overall_results.json': suite }),
    );
    expect(records).toHaveLength(4);
    expect(imported.notes).toEqual([expect.stringContaining('overall_results.json')]);
  });
});

describe('PhyAgentOS', () => {
  const attempt = (more: object): string =>
    JSON.stringify({
      attempt_index: 0,
      policy_session_id: 's',
      suite: 'libero_goal',
      task_id: 0,
      init_state_id: 0,
      status: 'succeeded',
      success: true,
      ...more,
    });

  it('July: the first attempt counts, and a line that is cut off is said', async () => {
    const lines = [
      attempt({ success: false, status: 'failed' }),
      attempt({ attempt_index: 1 }),
      attempt({ init_state_id: 1, error_code: 'TargetProtocolError', success: false }),
      '{"attempt_index": 0, "policy_ses',
    ];
    const { imported, records } = await readSample(folderOf({ 'run/attempts.jsonl': lines.join('\n') }));
    expect(countsOf(records)).toEqual({ failure: 1, error: 1 });
    expect(imported.notes).toEqual([
      expect.stringContaining(':4 is cut off'),
      expect.stringContaining('1 later attempts'),
    ]);
  });

  it('July: attempts go before episodes, in which a verifier had its word', async () => {
    const assisted = attempt({ attempt_index: 1, first_attempt_success: false, final_success: true });
    const files = { 'run/attempts.jsonl': attempt({ success: false }), 'run/episodes.jsonl': assisted };
    expect(countsOf((await readSample(folderOf(files))).records)).toEqual({ failure: 1 });
    const alone = await readSample(folderOf({ 'run/episodes.jsonl': assisted }));
    expect(countsOf(alone.records)).toEqual({ failure: 1 });
  });
});
