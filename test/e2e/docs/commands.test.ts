import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { LoopbackGitHub } from '../../contract/github/loopback/loopback-github.ts';
import { blocksOf, documents } from '../../unit/docs/markdown.ts';
import { notRun } from '../../unit/docs/not-run.ts';
import { freshClone, runScript } from './doors.ts';

const SHELL = ['sh', 'bash', 'shell', 'console'];
const marks = new Map(documents().flatMap((document) => [...notRun(document)]));
const blocks = documents()
  .flatMap(blocksOf)
  .filter(({ language }) => SHELL.includes(language));
/** PASS or done, FAIL, no verdict: each is an answer. Anything else is a refusal or a bug. */
const ANSWERS = [0, 1, 4];
/** Nobody else has queued anything on this host, which `collect` says. */
const answersTo = (line: string): readonly number[] =>
  line.includes(' collect ') ? [...ANSWERS, 3] : ANSWERS;
const RUN_ID = '20261129T160612Z-libero_spatial-3f9a';

let host: Host;
let github: LoopbackGitHub;
let clone = '';
let runId = '';
beforeAll(async () => {
  host = await startHost({ watchdog: { pollMs: 20 } });
  github = await LoopbackGitHub.start();
  github.token('t');
  clone = await freshClone();
  await mkdir(join(clone, 'bin'));
  await writeFile(join(clone, 'bin/rollout-bench'), `#!/bin/sh\nexec node ${clone}/dist/cli.js "$@"\n`);
  await chmod(join(clone, 'bin/rollout-bench'), 0o755);
  const first = `bin/rollout-bench run --workspace ${host.workspace} --suite libero_spatial --init-states 0-4 --policy-endpoint ${host.policyEndpoint} --policy-ref pi05`;
  const { code, output } = await runScript(first, clone);
  expect(ANSWERS, output).toContain(code);
  const runs = join(host.workspace, 'artifacts/rollout-bench');
  runId = (await readdir(runs)).find((name) => /^\d{8}T/.test(name)) ?? '';
  const bundle = join(runs, runId, 'attempt-1');
  for (const name of ['attempt-1', 'main-bundle', 'candidate-bundle', 'bundle.tar.gz', 'pi05.tar.gz'])
    await cp(bundle, join(clone, name), { recursive: true });
  for (const place of ['outputs/eval', 'new', 'old'])
    await cp(join(clone, 'fixtures/foreign/lerobot-0.3-single'), join(clone, place), { recursive: true });
});
afterAll(async () => {
  await host.stop();
  await github.stop();
  await rm(clone, { recursive: true, force: true });
});

/** The reader's host, its policy and its runs are others; the GitHub is on this machine. */
const here = (text: string): string =>
  [
    'export PATH="$PWD/bin:$PATH" GITHUB_TOKEN=t GITHUB_REPOSITORY=acme/robots',
    `export GITHUB_API_URL=${github.url}`,
    text
      .replaceAll('/srv/phyagentos/workspace', host.workspace)
      .replaceAll('openpi://127.0.0.1:8000', host.policyEndpoint)
      .replaceAll(RUN_ID, runId),
  ].join('\n');

describe('commands of the documents', () => {
  it('that are not run say why, in words', () => {
    const known = new Set(blocks.map(({ where }) => where));
    expect([...marks.keys()].filter((where) => !known.has(where))).toEqual([]);
    expect([...marks.values()].filter((reason) => reason.split(' ').length < 4)).toEqual([]);
  });

  it.each(blocks.filter(({ where }) => !marks.has(where)).map(({ where, text }) => [where, text] as const))(
    '%s ends in an answer',
    async (_where, text) => {
      // As on the first day: what an earlier page wrote is not there.
      for (const made of ['plan.json', 'robots'])
        await rm(join(clone, made), { recursive: true, force: true });
      // Each line by itself: a verdict that is no PASS ends nobody's day.
      for (const line of text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
        const { code, output } = await runScript(here(line), clone);
        expect(answersTo(line), `${line}\n${output}`).toContain(code);
      }
    },
  );
});
