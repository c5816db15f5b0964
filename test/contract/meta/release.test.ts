import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../.github/scripts/release.mjs', import.meta.url));
const CHANGELOG =
  '# Changelog\n\n## Next release\n\n- A thing.\n\n### Runs\n\n- Another.\n\n## 0.1.0\n\nThe first.\n';

let root = '';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const release = (...args: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { cwd: root, encoding: 'utf8' });
const everything = () => ['package.json', 'package-lock.json', 'docs/changelog.md'].map(read).join('\n');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'release-'));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'package.json'), '{\n  "name": "a",\n  "version": "0.1.0"\n}\n');
  writeFileSync(join(root, 'package-lock.json'), '{"version":"0.1.0","packages":{"":{"version":"0.1.0"}}}');
  writeFileSync(join(root, 'docs/changelog.md'), CHANGELOG);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('release.mjs', () => {
  it('names the version everywhere, and the notes are its entry of the changelog', () => {
    expect(release('prepare', '0.2.0')).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(read('package.json'))).toEqual({ name: 'a', version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    });
    expect(read('docs/changelog.md')).toBe(CHANGELOG.replace('Next release', '0.2.0'));
    expect(release('notes', '0.2.0').stdout).toBe('- A thing.\n\n### Runs\n\n- Another.\n');
    expect(release('notes', '0.1.0').stdout).toBe('The first.\n');
  });

  it('leads the links of the notes to the documents of the release', () => {
    writeFileSync(
      join(root, 'docs/changelog.md'),
      '## 0.1.0\n\nSee [a](errors.md#x) and [b](https://c.d).\n',
    );
    const { stdout } = spawnSync(process.execPath, [SCRIPT, 'notes', '0.1.0'], {
      cwd: root,
      encoding: 'utf8',
      env: { GITHUB_REPOSITORY: 'acme/bench' },
    });
    expect(stdout).toBe(
      'See [a](https://github.com/acme/bench/blob/v0.1.0/docs/errors.md#x) and [b](https://c.d).\n',
    );
  });

  it.each([
    ['an older version', ['prepare', '0.0.9'], /does not come after 0\.1\.0/],
    ['the same version', ['prepare', '0.1.0'], /has an entry 0\.1\.0 already/],
    ['no version', ['prepare', 'v1'], /"v1"/],
    ['notes that are not there', ['notes', '3.0.0'], /no entry "## 3\.0\.0"/],
    ['an owner that is none', ['owner', 'a/b/c'], /"a\/b\/c"/],
    ['another command', ['publish', '1.0.0'], /prepare, owner, notes/],
  ])('refuses %s and changes nothing', (_what, args, message) => {
    const before = everything();
    const { status, stderr } = release(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(everything()).toBe(before);
  });

  it('refuses to release what the changelog does not tell of', () => {
    writeFileSync(
      join(root, 'docs/changelog.md'),
      '# Changelog\n\n## Next release\n\n## 0.1.0\n\nThe first.\n',
    );
    expect(release('prepare', '0.2.0')).toMatchObject({ status: 2 });
    expect(read('package.json')).toContain('0.1.0');
  });

  it('puts the address of the repository where the placeholder stands', () => {
    const placeholder = ['OWNER', 'rollout-bench'].join('/');
    writeFileSync(join(root, 'docs/usage.md'), `- uses: ${placeholder}@v1\n`);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
    git('init', '--quiet');
    git('add', '--all');
    expect(release('owner', 'acme/bench')).toMatchObject({ status: 0, stderr: '' });
    expect(read('docs/usage.md')).toBe('- uses: acme/bench@v1\n');
    expect(read('package.json')).toContain('git+https://github.com/acme/bench.git');
  });
});
