import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsText } from '../../../src/app/settings-from.ts';

const config = '.github/rollout-bench.yml';
let root: string;
let bare: string;
let commit: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rb-settings-'));
  bare = mkdtempSync(join(tmpdir(), 'rb-settings-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  git('init', '--quiet');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'x');
  commit = git('rev-parse', 'HEAD').trim();
});
afterAll(() => {
  for (const folder of [root, bare]) rmSync(folder, { recursive: true });
});

const say = (more: Record<string, string>, named = false, file: string | null = config) =>
  settingsText(
    { config: file },
    { env: { PATH: process.env['PATH'], GITHUB_ACTIONS: 'true', ...more }, named },
  );

describe('the config file that a step found', () => {
  it('is said with the commit of the checkout, which must be one that the job is about', async () => {
    expect(await say({ GITHUB_WORKSPACE: root, GITHUB_SHA: commit })).toBe(
      `Settings of ${config} at ${commit.slice(0, 10)}.`,
    );
    const other = 'f'.repeat(40);
    await expect(say({ GITHUB_WORKSPACE: root, GITHUB_SHA: other })).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB116', fix: expect.stringContaining(`config: ${config}`) }],
    });
    const event = join(bare, 'event.json');
    const pull = { number: 1, head: { sha: commit, ref: 'x' }, base: { sha: other, ref: 'main' } };
    writeFileSync(event, JSON.stringify({ pull_request: pull, repository: { id: 1 } }));
    const merge = { GITHUB_WORKSPACE: root, GITHUB_SHA: other, GITHUB_EVENT_NAME: 'pull_request' };
    expect(await say({ ...merge, GITHUB_EVENT_PATH: event })).toContain(commit.slice(0, 10));
  });

  it('is taken as it is where it was named, or where nobody checked out', async () => {
    const other = { GITHUB_SHA: 'f'.repeat(40) };
    expect(await say({ GITHUB_WORKSPACE: root, ...other }, true)).toBe(`Settings of ${config}.`);
    expect(await say({ GITHUB_WORKSPACE: bare, ...other })).toBe(`Settings of ${config}.`);
    expect(await say(other)).toBe(`Settings of ${config}.`);
    expect(await say({}, false, null)).toBeNull();
  });
});
