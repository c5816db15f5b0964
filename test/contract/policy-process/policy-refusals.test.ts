import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { policyRepository } from '../../e2e/act/policy-repository.ts';
import { pullRequestEvent } from '../../e2e/scenarios/events.ts';
import { buildPolicy, processesWith } from './commands.ts';
import { bundleOf, startedRun } from './started-run.ts';

const CELLS = ['--tasks', '0', '--init-states', '0-1'];
const PATH = process.env['PATH'];

let policy: Awaited<ReturnType<typeof buildPolicy>>;
let host: Host;
let folder: string;
beforeAll(async () => {
  policy = await buildPolicy();
});
afterAll(() => policy.remove());
beforeEach(async () => {
  host = await startHost({ watchdog: { pollMs: 10 } });
  folder = await mkdtemp(path.join(os.tmpdir(), 'rb-refused-'));
});
afterEach(async () => {
  process.env['PATH'] = PATH;
  await host.stop();
  expect(await processesWith(`WHERE=${host.workspace}`)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

const run = (more: readonly string[], candidate = policy.command(), env: Record<string, string> = {}) =>
  startedRun(host.workspace, { candidate }, [...CELLS, ...more], env);

/** Variables of a pull request's job on a runner of one's own. */
async function jobOf(pull: Parameters<typeof pullRequestEvent>[0]): Promise<Record<string, string>> {
  const event = pullRequestEvent(pull);
  const file = path.join(folder, 'event.json');
  await writeFile(file, JSON.stringify(event.payload));
  return {
    ...event.env,
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: file,
    GITHUB_REPOSITORY: 'acme/robots',
    GITHUB_RUN_ID: '77',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'evaluate',
    RUNNER_ENVIRONMENT: 'self-hosted',
  };
}

describe('a command that is refused, with nothing queued', () => {
  it('when a secret is named for it (RB943)', async () => {
    const { exitCode } = await run(['--policy-env', 'WHERE,HF_TOKEN']);
    expect(exitCode).toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB943', where: 'input policy-env', value: 'HF_TOKEN' }],
    });
  });

  it('when it holds a secret, which is not shown (RB704)', async () => {
    const secret = 'hf_nVbYtRqWcXzLkJhGfDsApOiUyTrEwQ';
    const { exitCode, log } = await run([], `HF_TOKEN=${secret} ${policy.command()}`);
    expect(exitCode).toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB704', where: 'input policy-command' }],
    });
    expect(`${String(exitCode)}${log.join('\n')}`).not.toContain(secret);
  });

  it('when a folder is not there, both named at once (RB944)', async () => {
    const { exitCode } = await startedRun(host.workspace, { candidate: 'true', baseline: 'true' }, [
      ...CELLS,
      '--policy-directory',
      `${folder}/head`,
      '--baseline-directory',
      `${folder}/base`,
    ]);
    expect(exitCode).toMatchObject({
      exitCode: 3,
      problems: [
        { code: 'RB944', value: `${folder}/head` },
        { code: 'RB944', value: `${folder}/base` },
      ],
    });
  });

  it('when its checkpoint is another than was declared (RB947)', async () => {
    await writeFile(path.join(folder, 'weights'), 'one');
    const declared = `sha256:${'0'.repeat(64)}`;
    const { exitCode } = await run([
      ...['--checkpoint', path.join(folder, 'weights'), '--digests', `checkpoint=${declared}`],
    ]);
    expect(exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB947', value: declared }] });
  });

  it("when it is a fork's, also where the operator allows forks (RB951)", async () => {
    const operators = hostFolder(host.workspace).root;
    await mkdir(operators, { recursive: true });
    await writeFile(path.join(operators, 'allow-forks'), '');
    const job = await jobOf({ number: 9, headSha: 'a'.repeat(40), fork: true });
    const { exitCode } = await run([], 'touch started', job);
    expect(exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB951' }] });
    await expect(readFile(path.join(host.workspace, 'started'))).rejects.toThrow('ENOENT');
  });
});

describe('the commit of a policy', () => {
  it('that its metadata contradicts is refused (RB948)', async () => {
    const { head } = await policyRepository(folder, {}, {});
    const other = policy.command({ metadata: { git_commit: 'deadbeef' } });
    const refused = await run(['--policy-directory', folder], other);
    expect(refused.exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB948' }] });
    expect(String(refused.exitCode)).toContain(head);
    const same = policy.command({ metadata: { git_commit: head.slice(0, 12) } });
    expect((await run(['--policy-directory', folder], same)).exitCode).toBe(0);
  });

  it('that is not that of the pull request is said, and the run goes on (RB953)', async () => {
    const { base, head } = await policyRepository(folder, {}, {});
    const directory = ['--policy-directory', folder];
    const wrong = await run(
      directory,
      policy.command(),
      await jobOf({ number: 9, headSha: base, fork: false }),
    );
    expect(wrong.exitCode).toBe(0);
    expect(wrong.log.join('\n')).toContain(`RB953 policy-directory is a checkout of ${head}`);
    const right = await run(
      directory,
      policy.command(),
      await jobOf({ number: 9, headSha: head, fork: false }),
    );
    expect(right.log.join('\n')).not.toContain('RB953');
  });
});

describe('two policies that take turns', () => {
  const MANY = ['--tasks', '0-1', '--init-states', '0-2'];
  const both = (baseline: string, more: readonly string[]) =>
    startedRun(host.workspace, { candidate: policy.command({ metadata: { model: 'head' } }), baseline }, [
      ...MANY,
      ...more,
    ]);
  const base = { model: 'base' };

  it('end the run when one comes back as another (RB954)', async () => {
    const starts = path.join(folder, 'starts');
    const line = `echo >> ${starts}; M=$(wc -l < ${starts}); `;
    const changing = policy.command({ metadata: { model: 'MODEL' } }).replace('MODEL', `'"$M"'`);
    const { exitCode, log, bundle } = await both(`${line}${changing}`, ['--arms', 'sequential']);
    expect(exitCode).toBe(4);
    expect(log.join('\n')).toContain('RB954');
    const { results } = await bundleOf(bundle);
    expect(results.arms.map(({ valid }) => valid)).toEqual([6, 0]);
  });

  it('do so by themselves when the memory of a GPU holds one only, which is said', async () => {
    // The driver's tool: 24 GB, of which each policy that runs has 16.
    const tool = path.join(folder, 'nvidia-smi');
    await writeFile(
      tool,
      `#!/bin/sh\ncase "$1" in *compute-apps*) exit 0 ;; esac\nn=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^TAKES=${folder}$')\n[ "$n" -gt 0 ] && free=8000 || free=24000\necho "GPU-1, Card, 550.1, $free"\n`,
    );
    await chmod(tool, 0o755);
    process.env['PATH'] = `${folder}:${PATH ?? ''}`;
    const { exitCode, log, bundle } = await both(
      `TAKES=${folder} exec ${policy.command({ metadata: base })}`,
      [],
    );
    expect(exitCode).toBe(0);
    expect(log.join('\n')).toContain(
      'The baseline is measured after the candidate (memory of GPU 0: one policy took 16000 MiB, 8000 MiB are left)',
    );
    const { plan, results } = await bundleOf(bundle);
    expect(plan.order.scheme).toBe('sequential');
    expect(results.run.started).toMatchObject({ turns: true });
  });

  it.each([
    ['the first has its turn', 'candidate'],
    ['the second has its turn', 'baseline'],
  ] as const)('are resumed where the run ended while %s', async (_, dying) => {
    const file = path.join(folder, 'questions');
    const dies = { dieAt: { file, questions: [10, 20] } };
    const commands = {
      candidate: policy.command({ metadata: { model: 'head' }, ...(dying === 'candidate' ? dies : {}) }),
      baseline: policy.command({ metadata: base, ...(dying === 'baseline' ? dies : {}) }),
    };
    const options = [...MANY, '--arms', 'sequential', '--retry-errors', '0'];
    const first = await startedRun(host.workspace, commands, options);
    expect(first.exitCode).toBe(4);
    const id = path.basename(path.dirname(first.bundle));
    const second = await startedRun(host.workspace, commands, [...options, '--resume', id]);
    expect({ exitCode: second.exitCode, log: second.log }).toMatchObject({ exitCode: 0 });
    const { results, journal } = await bundleOf(second.bundle);
    expect(results.arms.map(({ valid }) => valid)).toEqual([6, 6]);
    // What was measured before is not measured again, and what is left goes by turns.
    const arms = journal.flatMap((event) => (event.type === 'intent' ? [event.cell.arm] : []));
    if (dying === 'baseline') expect(new Set(arms)).toEqual(new Set(['baseline']));
    else expect(arms.lastIndexOf('candidate')).toBeLessThan(arms.indexOf('baseline'));
  });
});
