import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { finderOf, GOOD, LIST, listFile } from './held-out-run.ts';
import { LoopbackStep } from './loopback-step.ts';

const HEAD = 'a'.repeat(40);

let host: Host;
let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  host = await startHost({ policies: [GOOD], watchdog: { pollMs: 10 } });
});
afterEach(async () => {
  await host.stop();
  await github.stop();
  expect(github.violations).toEqual([]);
});

/** A whole job on a branch: measure, decide, publish everywhere. */
async function job(more: Record<string, string>) {
  const summary = path.join(host.workspace, '..', `summary-${path.basename(host.workspace)}.md`);
  await writeFile(summary, '');
  const step = new LoopbackStep(github, {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_RUN_ID: '42',
    GITHUB_SHA: HEAD,
    GITHUB_STEP_SUMMARY: summary,
  });
  const main = step.main({
    workspace: host.workspace,
    suite: 'libero_spatial',
    tasks: '0-1',
    'init-states': '0-1',
    'policy-endpoint': host.policies[0]?.endpoint ?? '',
    'policy-wait': '1',
    'heldout-file': await listFile(host),
    'min-success-rate': '1%',
    check: 'rollout-bench',
    ...more,
  });
  const outcome = await run({ ...main, clock: systemClock }).catch((error: unknown) => error);
  return { outcome, summary: await readFile(summary, 'utf8'), log: step.log.lines.join('\n') };
}

/** Every byte that GitHub was sent, blobs of the report branch included. */
function sent(): string {
  return github.seen
    .map(({ body }) => JSON.stringify(body ?? ''))
    .map((text) => `${text}\n${decoded(text)}`)
    .join('\n');
}

function decoded(text: string): string {
  const blobs = text.matchAll(/"content":"([A-Za-z0-9+/=]{40,})"/g);
  return [...blobs].map(([, blob = '']) => Buffer.from(blob, 'base64').toString('utf8')).join('\n');
}

const mask = finderOf(LIST);

describe('what a job with held-out cells publishes', () => {
  it('is the aggregate on branch, check and summary, and no cell anywhere', async () => {
    const { outcome, summary, log } = await job({});
    expect(outcome).toBe(0);
    const published = sent();
    for (const text of [published, summary])
      expect(text).toMatch(/Held-out: \d of 4 valid episodes succeeded/);
    for (const text of [published, summary, log]) expect(mask.finds(text)).toBe(false);
    expect(github.seen.some(({ path: place }) => place.includes('/git/'))).toBe(true);
  });

  it('is nothing where a text of the report names a cell', async () => {
    const template = path.join(host.workspace, '..', `template-${path.basename(host.workspace)}.mustache`);
    await writeFile(template, '# {{suite}}\n\nLook at task 1, initial state 21.\n');
    const { outcome, summary } = await job({ 'report-template': template });
    expect(outcome).toMatchObject({ exitCode: 3, problems: [{ code: 'RB846' }] });
    expect(mask.finds(String(outcome))).toBe(false);
    expect(mask.finds(sent() + summary)).toBe(false);
    expect(github.seen.some(({ path: place }) => place.includes('/git/'))).toBe(false);
  });
});
