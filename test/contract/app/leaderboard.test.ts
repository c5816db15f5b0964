import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept } from '../../../src/app/accept.ts';
import { baselinePath } from '../../../src/history/baseline.ts';
import {
  LEADERBOARD_PAGE_PATH,
  LEADERBOARD_PATH,
  parseLeaderboard,
} from '../../../src/history/leaderboard.ts';
import { planOf } from '../bundle/bundle-builder.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { policyBundle } from './policy-bundle.ts';
import { called } from './verb-context.ts';

let workspace: string;
let github: LoopbackGitHub;
beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-leaderboard-'));
  github = await LoopbackGitHub.start();
  github.token('ghs_least', { contents: 'write' });
});
afterEach(async () => {
  rmSync(workspace, { recursive: true, force: true });
  await github.stop();
  expect(github.violations).toEqual([]);
});

async function put(bundleDir: string, ...more: readonly string[]): Promise<string> {
  const line = ['accept', bundleDir, '--leaderboard', '--reason', 'checked by hand', ...more];
  const call = await called(line, {
    GITHUB_TOKEN: 'ghs_least',
    GITHUB_REPOSITORY: 'acme/robots',
    GITHUB_API_URL: github.url,
  });
  expect(await accept(call.verb)).toBe(0);
  return call.printed();
}

const onBranch = (path: string): string | null => github.git.fileText('rollout-bench', path);
const rows = () =>
  parseLeaderboard(onBranch(LEADERBOARD_PATH)).boards.map(({ name, policies }) => [
    name,
    policies.map(({ policyRef, newest, earlier }) => [policyRef, newest.successes, earlier.length]),
  ]);

describe('accept --leaderboard', () => {
  it('has one row for each policy-ref, by its newest run, and never sets a baseline', async () => {
    const printed = await put(await policyBundle(workspace, 'r1', { policyRef: 'pi05', successes: 12 }));
    expect(printed).toContain('r1 is on the board libero_spatial: rollout-bench leaderboard.html');
    const hostile = '<img src=x onerror=alert(1)>';
    await put(await policyBundle(workspace, 'r2', { policyRef: hostile, successes: 3 }));
    const newer = await policyBundle(workspace, 'r3', { policyRef: 'pi05', successes: 19 });
    await put(newer);
    await put(newer);
    expect(rows()).toEqual([
      [
        'libero_spatial',
        [
          [hostile, 3, 0],
          ['pi05', 19, 1],
        ],
      ],
    ]);
    const page = onBranch(LEADERBOARD_PAGE_PATH) ?? '';
    expect(page).toContain('pi05 has the highest rate, 95.0%, and is better than every other policy here.');
    expect(page).toContain('Earlier runs that are not shown: 1.');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('10.1.2.4');
    expect(onBranch(baselinePath('libero_spatial', 'main'))).toBeNull();
    expect(onBranch('latest.json')).toBeNull();
    expect(onBranch('index.html')).toContain('<a href="leaderboard.html"');
  });

  it('keeps one protocol and the same cells a board; another board takes what differs', async () => {
    await put(await policyBundle(workspace, 'r1', { policyRef: 'pi05', successes: 12 }));
    const before = onBranch(LEADERBOARD_PATH);
    const facts = { fingerprint: { max_steps: 600 } };
    const longer = await policyBundle(workspace, 'r2', { policyRef: 'pi0', successes: 12, facts });
    await expect(put(longer)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB671', message: expect.stringMatching(/the board libero_spatial.*max_steps/) }],
    });
    const fewer = await policyBundle(workspace, 'r3', { policyRef: 'pi0', successes: 12, plan: planOf(19) });
    await expect(put(fewer)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB670' }] });
    const nameless = await policyBundle(workspace, 'r4', { policyRef: null, successes: 12 });
    await expect(put(nameless)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB674' }] });
    expect(onBranch(LEADERBOARD_PATH)).toBe(before);
    await put(longer, '--board', 'long horizon');
    expect(rows().map(([name]) => name)).toEqual(['libero_spatial', 'long horizon']);
  });

  it('cannot be asked for together with a baseline', async () => {
    const line = ['accept', 'nowhere', '--leaderboard', '--reason', 'x'];
    for (const more of [['--out', 'a'], ['--branch', 'main'], ['--anchor']]) {
      await expect(accept((await called([...line, ...more])).verb)).rejects.toMatchObject({
        exitCode: 2,
        problems: [{ code: 'RB112', where: 'option --leaderboard' }],
      });
    }
  });
});

describe('parseLeaderboard', () => {
  it('reads nothing that it does not know whole', () => {
    expect(parseLeaderboard(null).boards).toEqual([]);
    for (const text of ['', '{}', '{"schema":"rollout-bench/leaderboard/2","boards":[]}', '[1'])
      expect(() => parseLeaderboard(text)).toThrow(/RB810/);
  });
});
