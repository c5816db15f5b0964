import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { report } from '../../../src/app/report.ts';
import { pullRequestEvent, storedPull } from '../../e2e/scenarios/events.ts';
import { ROOT } from '../../unit/meta/source-files.ts';
import { LoopbackStep } from '../app/loopback-step.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';

const HEAD = 'a'.repeat(40);
const PULL = { number: 7, headSha: HEAD, fork: false };
const PER_TASK = 50;

const workflow = z.object({
  jobs: z.object({
    evaluate: z.object({
      steps: z.array(
        z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  }),
});

/** The inputs of our step in an example, its expressions filled in. */
function inputsOf(example: string): Record<string, string> {
  const text = readFileSync(join(ROOT, 'docs/examples', example), 'utf8');
  const step = workflow
    .parse(parse(text))
    .jobs.evaluate.steps.find(({ uses }) => uses?.startsWith('OWNER/rollout-bench@'));
  return Object.fromEntries(
    Object.entries(step?.with ?? {}).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\{ github\.event\.pull_request\.head\.sha \}\}/, HEAD),
    ]),
  );
}

const tasks = Array.from({ length: 10 }, (_, id) => id);
const states = Array.from({ length: PER_TASK }, (_, id) => id);
/** 4 of 5 episodes succeed. */
const succeeds = (state: number): boolean => state % 5 !== 0;

/** What each tool would have left for 500 episodes. */
const RESULTS: Readonly<Record<string, readonly [file: string, text: () => string]>> = {
  'lerobot.yml': [
    'outputs/eval/eval_info.json',
    () =>
      JSON.stringify({
        per_task: tasks.map((task_id) => ({
          task_group: 'libero_spatial',
          task_id,
          metrics: { successes: states.map(succeeds) },
        })),
        overall: { pc_success: 80, n_episodes: 500 },
      }),
  ],
  'vla-eval.yml': [
    'results/LIBEROBenchmark_sync_1779271200.json',
    () =>
      JSON.stringify({
        benchmark: 'LIBEROBenchmark',
        harness_version: '0.2.0',
        tasks: tasks.map((task) => ({
          task: `task ${task}`,
          episodes: states.map((episode_id) => ({ episode_id, metrics: { success: succeeds(episode_id) } })),
        })),
        config: { episodes_per_task: PER_TASK, params: { suite: 'libero_spatial', seed: 7 } },
        mean_success: 0.8,
      }),
  ],
  'openpi.yml': ['openpi.log', openpiLog],
};

function openpiLog(): string {
  const lines = ['INFO:root:Task suite: libero_spatial'];
  let done = 0;
  let successes = 0;
  for (const task of tasks) {
    for (const state of states) {
      done += 1;
      if (succeeds(state)) successes += 1;
      lines.push(
        'INFO:root:',
        `Task: do the thing ${task}`,
        `INFO:root:Starting episode ${state + 1}...`,
        `INFO:root:Success: ${succeeds(state) ? 'True' : 'False'}`,
        `INFO:root:# episodes completed so far: ${done}`,
        `INFO:root:# successes: ${successes} (${((100 * successes) / done).toFixed(1)}%)`,
      );
    }
    lines.push(
      'INFO:root:Current task success rate: 0.8',
      `INFO:root:Current total success rate: ${successes / done}`,
    );
  }
  lines.push(`INFO:root:Total success rate: ${successes / done}`, `INFO:root:Total episodes: ${done}`);
  return `${lines.join('\n')}\n`;
}

let github: LoopbackGitHub;
let folder: string;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  github.conversation.pulls.push(storedPull(PULL));
  folder = mkdtempSync(join(tmpdir(), 'rb-examples-'));
});
afterEach(async () => {
  await github.stop();
  rmSync(folder, { recursive: true, force: true });
  expect(github.violations).toEqual([]);
});

describe('examples of other tools, against the loopback GitHub', () => {
  it.each(Object.keys(RESULTS))('%s gates, comments and checks a pull request', async (example) => {
    const [file, text] = RESULTS[example] ?? ['', () => ''];
    const place = join(folder, file);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text());
    const event = pullRequestEvent(PULL);
    const payload = join(folder, 'event.json');
    writeFileSync(payload, JSON.stringify(event.payload));
    const step = new LoopbackStep(github, {
      GITHUB_EVENT_NAME: event.name,
      GITHUB_EVENT_PATH: payload,
      GITHUB_RUN_ID: '1001',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'evaluate',
      ...event.env,
    });
    const inputs = inputsOf(example);
    const results = join(folder, inputs['results'] ?? '');
    const code = await report(step.main({ ...inputs, results, 'report-branch': 'none' }));
    expect([code, step.log.lines.join('\n')]).toEqual([0, expect.any(String)]);
    expect(github.checks.checks[0]).toMatchObject({ conclusion: 'success', headSha: HEAD });
    expect(JSON.stringify(github.checks.checks[0])).toContain('supplied by the measured job');
    const [comment] = github.conversation.comments;
    expect(comment?.body).toContain('PASS');
    expect(comment?.body).toContain('80.0% (400/500)');
    expect(comment?.body).toContain('supplied by the measured job');
  });
});
