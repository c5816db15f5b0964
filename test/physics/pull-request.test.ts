import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesWith } from '../contract/policy-process/commands.ts';
import { ACT, messages, runInAct } from '../e2e/act/act.ts';
import { policyRepository } from '../e2e/act/policy-repository.ts';
import { resultsOf } from '../e2e/act/results-of.ts';
import { pullRequestEvent, storedPull } from '../e2e/scenarios/events.ts';
import { Stage as GitHubStage } from '../e2e/scenarios/stage.ts';
import { KIT, PYTHON, Stage } from './processes.ts';

const why =
  PYTHON === undefined || ACT === null
    ? ' (skipped: PHYSICS_PYTHON names no Python with Meta-World, or ACT no act binary, see .ci/run)'
    : '';
/** Only ends what hangs. */
const HUNDRED_TWENTY_EPISODES_MS = 1_500_000;
const DRAWER = 'drawer open';

/** The kit as a repository: its scripted expert is the policy. */
function kitFiles(): Record<string, string> {
  const names = readdirSync(KIT).filter((name) => name.endsWith('.py'));
  const kit = Object.fromEntries(names.map((name) => [name, readFileSync(join(KIT, name), 'utf8')]));
  return {
    ...kit,
    'serve.py': kit['metaworld_policy.py'] ?? '',
    '.github/rollout-bench.yml': 'max-steps: 200\n',
  };
}

describe.skipIf(why !== '')(`docs/examples/pull-request-kit.yml in act${why}`, () => {
  let physics: Stage;
  let stage: GitHubStage;

  beforeAll(async () => {
    stage = await GitHubStage.open([]);
    physics = new Stage();
    const simulator = await physics.serve('metaworld_server.py');
    const policy = await physics.serve('metaworld_policy.py');
    const { text, code } = await physics.call(
      ...['init', '--workspace', physics.workspace, '--kit', 'metaworld'],
      ...['--target', simulator.endpoint, '--policy', policy.endpoint],
    );
    expect({ code, text }).toMatchObject({ code: 0 });
    physics.cli(['host', '--workspace', physics.workspace]);
  });
  afterAll(async () => {
    await physics.end();
    await stage.close();
  });

  it(
    'fails a pull request whose head breaks one task, against its base, in one job',
    async () => {
      const files = kitFiles();
      const serve = files['serve.py'] ?? '';
      const broken = serve.replace(/("--broken".*default=)\[\]/, '$1["drawer-open"]');
      expect(broken).not.toBe(serve);
      const { folder, base, head } = await policyRepository(await stage.folder('policies'), files, {
        'serve.py': broken,
      });
      const pull = { number: 7, headSha: head, baseSha: base, fork: false };
      stage.github.conversation.pulls.push(storedPull(pull));
      const end = await runInAct({
        example: 'pull-request-kit.yml',
        event: pullRequestEvent(pull),
        runId: 1001,
        env: { STAND_IN_REPOSITORY: folder, PATH: process.env['PATH'] ?? '' },
        action: stage.action,
        token: stage.github.token('ghs_act'),
        serviceUrl: stage.github.url,
        vars: { BENCHMARK_WORKSPACE: physics.workspace, POLICY_PYTHON: PYTHON ?? '' },
      });
      const last = messages(end.log).split('\n').slice(-80).join('\n');
      expect(end.jobs, last).toEqual([{ job: 'evaluate', result: 'failure' }]);
      const body = stage.github.conversation.comments[0]?.body ?? '';
      expect(body, last).toContain('FAIL');
      expect(body).toContain(DRAWER);
      const { arms } = await resultsOf(physics.workspace);
      const successes = arms.map(({ tasks }) =>
        tasks.map(({ language, successRate }) => [language, successRate.k]),
      );
      const others = successes.map((tasks) => tasks.filter(([language]) => language !== DRAWER));
      expect(successes.map((tasks) => tasks.find(([language]) => language === DRAWER)?.[1])).toEqual([0, 6]);
      expect(others[0]).toEqual(others[1]);
      expect(await processesWith('serve.py --port')).toEqual([]);
      expect(stage.github.violations).toEqual([]);
    },
    HUNDRED_TWENTY_EPISODES_MS,
  );
});
